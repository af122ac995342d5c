// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_StreamChoice.hpp>
#include <communicator/Koinon_Health.hpp>

#include <cstdint>

namespace Koinon::Impl {

/// Is what a long wait of a host block looks at.
struct HostWatch {
  Health* health = nullptr;
  /// Polls with a pause between before the first yield. Few where the node's ranks exceed the processors: a spin without
  /// yield then costs a scheduler slice.
  std::uint32_t pauses = 20;
  /// Whether the processor can drop single lines from its caches.
  bool can_flush = false;
  /// Whether data for peers goes past the caches.
  StreamChoice streams;
};

/// Decides how a block waits: polls with pauses, then yields, and every millisecond looks at the peers and the clock.
class KOINON_EXPORT HostPatience {
 public:
  /// Passes a moment; false: the wait is given up, and the reason is recorded.
  [[nodiscard]] bool more(DeviceCommunicator const& comm, LaunchNumber number, int peer) {
    if (m_turns++ < static_cast<HostWatch const*>(comm.m_watch)->pauses) {
      pause();
      return true;
    }
    return more_slowly(comm, number, peer);
  }

 private:
  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
  [[nodiscard]] bool more_slowly(DeviceCommunicator const& comm, LaunchNumber number, int peer);

  std::uint32_t m_turns = 0;
  Health::Clock::time_point m_since{};
  Health::Clock::time_point m_looked{};
};

}  // namespace Koinon::Impl
