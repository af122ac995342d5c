// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <support/Koinon_SpaceMemory.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace Koinon::Testing {

/// Holds a rank's arrays in memory of its space, each between guards; what the host sees is a copy of it.
class Arena {
 public:
  static constexpr std::size_t bytes = std::size_t{4} << 20;
  static constexpr std::size_t guard = 48;

  explicit Arena(SpaceMemory const* memory)
      : m_memory(memory), m_host(bytes), m_base(memory == nullptr ? m_host.data() : memory->private_memory()) {
    clear();
  }

  /// Forgets all arrays.
  void clear() {
    m_used = guard;
    m_taken.clear();
    std::memset(m_host.data(), poison, bytes);
  }
  /// Takes an array of `count` elements, `shift` elements off alignment; returns its address in the space.
  template <class T>
  T* take(std::size_t count, std::size_t shift = 0) {
    std::size_t const begin = (m_used + 63) / 64 * 64 + shift * sizeof(T);
    std::size_t const end = begin + count * sizeof(T);
    if (end + guard > bytes) throw std::length_error("the arena is too small");
    m_used = end + guard;
    m_taken.emplace_back(begin, end);
    return reinterpret_cast<T*>(m_base + begin);
  }
  /// Returns the host's copy of an array of the arena.
  template <class T>
  T* host(T* p) {
    return reinterpret_cast<T*>(m_host.data() + (reinterpret_cast<std::byte*>(p) - m_base));
  }
  void upload() const {
    if (m_memory != nullptr) m_memory->upload(m_base, m_host.data(), m_used);
  }
  void download() {
    if (m_memory != nullptr) m_memory->download(m_host.data(), m_base, m_used);
  }
  /// Says which byte beside the arrays was written; empty: none.
  [[nodiscard]] std::string written_beside() const {
    std::size_t at = 0;
    for (auto const& [begin, end] : m_taken) {
      for (; at < begin; ++at) {
        if (m_host[at] != std::byte{poison}) return "byte " + std::to_string(at) + " before an array was written";
      }
      at = end;
    }
    for (; at < m_used; ++at) {
      if (m_host[at] != std::byte{poison}) return "byte " + std::to_string(at) + " behind the last array was written";
    }
    return {};
  }

 private:
  static constexpr unsigned char poison = 0xA5;
  SpaceMemory const* m_memory;
  std::vector<std::byte> m_host;
  std::byte* m_base;
  std::size_t m_used = guard;
  std::vector<std::pair<std::size_t, std::size_t>> m_taken;
};

}  // namespace Koinon::Testing
