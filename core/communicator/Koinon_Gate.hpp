// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>

#include <atomic>
#include <cstdint>

namespace Koinon::Impl {

/// Says in one word whether a communicator may be used. Lies in a page that the kernel wipes in a forked child, so that
/// the child finds it shut without a system call at each collective.
class KOINON_EXPORT Gate {
 public:
  enum State : std::uint32_t { forked = 0, open = 1, failed = 2, finalized = 3 };

  Gate();
  Gate(Gate const&) = delete;
  Gate& operator=(Gate const&) = delete;
  ~Gate();

  [[nodiscard]] bool is_open() const { return state() == open; }
  [[nodiscard]] State state() const {
    return static_cast<State>(std::atomic_ref(*m_word).load(std::memory_order_acquire));
  }
  /// Shuts an open gate; the first reason stays.
  void shut(State reason) noexcept;

 private:
  std::uint32_t* m_word;
};

}  // namespace Koinon::Impl
