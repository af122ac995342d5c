// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Neighbour.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <vector>

namespace Koinon::Perf {

/// Threads that rewrite an array twice as large as the last-level cache, over and over, each a part of its own. They run on
/// any processor, whatever their rank is bound to, and never yield.
class HostNeighbour final : public Neighbour {
 public:
  explicit HostNeighbour(int threads);
  ~HostNeighbour() override;
  HostNeighbour(HostNeighbour const&) = delete;
  HostNeighbour& operator=(HostNeighbour const&) = delete;

  void begin() override;
  void end() noexcept override;
  std::string describe() const override;
  double gigabytes_per_second() const override;

  std::size_t bytes() const { return m_words * sizeof(std::uint64_t); }
  std::uint64_t moved_bytes() const { return m_moved_bytes; }
  /// Returns what the machine says of its last-level cache, 32 MiB where it says nothing.
  static std::size_t last_level_cache_bytes();

 private:
  void fill(std::span<std::uint64_t> part);

  int m_count;
  std::size_t m_words;
  std::unique_ptr<std::uint64_t[]> m_memory;
  std::vector<std::thread> m_threads;
  std::atomic<bool> m_ends = false;
  std::atomic<int> m_begun = 0;
  std::atomic<std::uint64_t> m_moved_bytes = 0;
  std::chrono::steady_clock::time_point m_since{};
  double m_seconds = 0;
};

}  // namespace Koinon::Perf
