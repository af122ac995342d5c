// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_HostWatch.hpp>

#include <sched.h>
#include <time.h>

namespace Koinon::Impl {

bool HostPatience::more_slowly(DeviceCommunicator const& comm, LaunchNumber number, int peer) {
  using namespace std::chrono_literals;
  HostWatch const& watch = *static_cast<HostWatch const*>(comm.m_watch);
  auto const now = Health::Clock::now();
  if (m_since == Health::Clock::time_point{}) m_since = m_looked = now;
  if (now - m_looked > 1ms) {
    m_looked = now;
    if (!watch.health->look(comm, number, peer, m_since)) return false;
  }
  if (now - m_since > 100ms) {
    // Nobody notices a few microseconds any more; the processor is free for the rank that is late.
    timespec const nap{0, 50'000};
    nanosleep(&nap, nullptr);
  } else {
    sched_yield();
  }
  return true;
}

}  // namespace Koinon::Impl
