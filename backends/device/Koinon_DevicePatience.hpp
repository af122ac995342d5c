// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_DeviceWatch.hpp>
#include <communicator/Koinon_DeviceFailure.hpp>
#include <protocol/Koinon_DeviceCommunicator.hpp>
#include <protocol/Koinon_LaunchNumber.hpp>

#include <cstdint>

namespace Koinon::Impl {

/// Decides how long a thread polls: until the deadline, an abort, or another wait that was given up. It looks at the
/// clock every 64 polls and at the host's words every 20 us.
/// @tparam Words the accesses of a vendor's kernels, with the ticks of a clock that all multiprocessors share
template <class Words>
class DevicePatience {
 public:
  [[nodiscard]] KOINON_FORCE_INLINE bool more(DeviceCommunicator const& comm, LaunchNumber number, int peer) {
    if (++m_polls % 64 != 0) return true;
    return look(comm, number, peer);
  }

  /// Records why this rank's first wait ended, unless another thread has, and ends later launches.
  static KOINON_COLD_FUNCTION void give_up(DeviceCommunicator const& comm, LaunchNumber number, int peer,
                                           FailureKind kind) {
    DeviceWatch const& watch = watch_of(comm);
    if (Words::exchange(watch.claim, 1) == 0) {
      DeviceFailure& failure = *watch.failure;
      failure.launch_number = number;
      failure.peer = peer;
      for (int p = 0; p < comm.size() && kind == FailureKind::timeout; ++p) {
        bool const started = has_reached(Words::load(comm.started_word(comm.rank(), p), Relaxed{}), number);
        if (!started) failure.missing[p / 64] |= std::uint64_t{1} << (p % 64);
      }
      Words::store(&failure.kind, static_cast<std::uint32_t>(kind), AcquireRelease{});
    }
    Words::store(watch.failed, 1, Relaxed{});
  }

 private:
  [[nodiscard]] static KOINON_FORCE_INLINE DeviceWatch const& watch_of(DeviceCommunicator const& comm) {
    return *static_cast<DeviceWatch const*>(comm.m_watch);
  }

  [[nodiscard]] KOINON_FORCE_INLINE bool look(DeviceCommunicator const& comm, LaunchNumber number, int peer) {
    std::uint64_t const now = Words::ticks();
    if (m_since == 0) m_since = m_looked = now;
    if (now - m_looked < Words::ticks_between_looks) return true;
    m_looked = now;
    return look_at_words(comm, number, peer, now - m_since);
  }
  /// By values: an object whose address is taken would not stay in registers.
  [[nodiscard]] static KOINON_COLD_FUNCTION bool look_at_words(DeviceCommunicator const& comm, LaunchNumber number,
                                                               int peer, std::uint64_t waited) {
    DeviceWatch const& watch = watch_of(comm);
    if (Words::load(watch.failed, Relaxed{}) != 0) return false;
    if (Words::load(watch.abort_word, Relaxed{}) != 0) {
      Words::store(watch.failed, 1, Relaxed{});
      return false;
    }
    if (watch.timeout_ticks == 0 || waited < watch.timeout_ticks) return true;
    give_up(comm, number, peer, FailureKind::timeout);
    return false;
  }

  std::uint32_t m_polls = 0;
  std::uint64_t m_since = 0;
  std::uint64_t m_looked = 0;
};

}  // namespace Koinon::Impl
