// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>
#include <protocol/Koinon_DeviceCommunicator.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace Koinon::Impl {

/// Is a few cache lines in a rank's segment, with which it measures what lines cost that a peer has read.
struct LineProbe {
  static constexpr int count = 16;
  struct alignas(64) Line {
    std::uint64_t word;
  };
  Line written;       // how often this rank has rewritten the lines (release)
  Line read;          // up to which time this rank has read its right neighbour's lines (release)
  Line lines[count];
};
static_assert(sizeof(LineProbe) <= SegmentLayout::backend_bytes);

/// Decides whether a rank streams what its peers read next, from what lines cost that a peer has read, here and now.
///
/// Such a line must be taken back before it is written again. Between processors that share a cache that is nearly free,
/// and plain stores are the best; between those that do not it costs 15 to 29 ns a line (AMD EPYC, Zen 4), where a store
/// past the caches takes 2.5. Which it is, only a measurement tells, and a virtual machine's processors move. So in large
/// calls each rank reads the sixteen probe lines of its right neighbour when they were rewritten, and rewrites its own
/// with a clock when they were read, each 32nd time: 0.3 us at most. Each rank decides for itself: it changes how bytes
/// travel and nothing that a peer sees. Block 0 measures, every block reads the answer.
class KOINON_EXPORT StreamChoice {
 public:
  /// Smaller messages are not worth a look.
  static constexpr std::size_t bytes_from = 2048;

  [[nodiscard]] bool streams() const { return m_streams.load(std::memory_order_relaxed); }
  /// Decides for good, whatever is measured. For tests: which of the two a machine does by itself is chance.
  void fix(bool streams) {
    m_streams.store(streams, std::memory_order_relaxed);
    m_fixed = true;
  }
  /// Takes part in the measurement. From block 0 only.
  void look(DeviceCommunicator const& comm) {
    if (comm.size() > 1) look_at_neighbours(comm);
  }

 private:
  /// Nanoseconds a line above which it pays to stream.
  static constexpr double dear = 7.0;
  static constexpr std::uint32_t pause = 32;
  /// Measurements that agree before the choice changes; an interrupted one says nothing.
  static constexpr int certain = 2;

  void look_at_neighbours(DeviceCommunicator const& comm);
  void measure(LineProbe& own);

  std::atomic<bool> m_streams{false};
  std::uint32_t m_until_probe = 1;
  int m_votes = 0;  // in a row for the other choice
  bool m_fixed = false;
};

}  // namespace Koinon::Impl
