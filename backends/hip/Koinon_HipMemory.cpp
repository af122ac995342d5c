// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_DeviceLaunched.hpp>
#include <Koinon_HipCalls.hpp>
#include <Koinon_HipMemory.hpp>
#include <Koinon_HipSegments.hpp>

namespace Koinon::Impl {

std::shared_ptr<DeviceCalls const> HipMemory::make_calls() {
  return std::make_shared<HipCalls>(hip_runtime(), m_place);
}

DeviceSegments HipMemory::share(Bootstrap& everyone, CommunicatorBase& comm,
                                std::shared_ptr<DeviceCalls const> const& calls, std::size_t bytes) {
  return share_hip_segments(everyone, comm.identities(), m_place, calls, bytes, comm.options().timeout);
}

char const* HipMemory::refusal_of(HipInstance const& instance) {
  if (instance.device != m_place.device) return "it is of another device than the communicator's";
  return launched().refusal_of(instance.stream);
}

}  // namespace Koinon::Impl
