// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace Koinon::Impl {

/// Decides whether a rank streams what its peers read next, from what plain copies cost here and now.
///
/// A line that a peer has read must be taken back before it is written again. Between processors that share a cache that
/// is free, and a plain copy is the best; between those that do not it costs 15 to 29 ns a line (AMD EPYC, Zen 4), where
/// a store past the caches takes 2.5. Which it is, only a measurement tells, and a virtual machine's processors move. So
/// every large plain copy is timed, and while streams are on, now and then one copy is plain. Each rank decides for
/// itself: it changes how bytes travel and nothing that a peer sees. Block 0 measures, every block reads.
class KOINON_EXPORT StreamChoice {
 public:
  static constexpr std::size_t measured_bytes_from = 8192;

  [[nodiscard]] bool streams() const { return m_streams.load(std::memory_order_relaxed); }
  /// Copies at least measured_bytes_from bytes; returns whether it streamed. From one thread at a time.
  bool copy(void* to, void const* from, std::size_t bytes);

 private:
  /// Nanoseconds a line above which a plain copy pays for lines taken back.
  static constexpr double dear = 9.0;
  static constexpr std::uint32_t first_pause = 16;
  static constexpr std::uint32_t longest_pause = 512;

  std::atomic<bool> m_streams{false};
  std::uint32_t m_until_probe = 0;          // copies until the next plain one
  std::uint32_t m_pause = first_pause;      // doubles while probes find plain copies dear
};

}  // namespace Koinon::Impl
