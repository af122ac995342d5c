// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaCalls.hpp>
#include <Koinon_CudaMemory.hpp>
#include <Koinon_CudaSegments.hpp>
#include <Koinon_DeviceLaunched.hpp>

namespace Koinon::Impl {

std::shared_ptr<DeviceCalls const> CudaMemory::make_calls() {
  return std::make_shared<CudaCalls>(cuda_driver(), m_place);
}

DeviceSegments CudaMemory::share(Bootstrap& everyone, CommunicatorBase& comm,
                                 std::shared_ptr<DeviceCalls const> const& calls, std::size_t bytes) {
  auto const made = std::make_shared<CudaSegments>(everyone, comm.identities(), m_place, calls, bytes,
                                                   comm.environment(), comm.options().timeout);
  DeviceSegments segments;
  segments.memory = made;
  segments.base = made->base();
  segments.stride = made->stride();
  for (int p = 0; p < comm.size(); ++p) segments.at.push_back(made->segment(p));
  segments.multicast = made->multicast_base();
  segments.multicast_refusal = made->multicast_refusal();
  segments.way = made->way();
  return segments;
}

char const* CudaMemory::refusal_of(CudaInstance const& instance) {
  if (instance.context != m_place.context) return "it is of another device than the communicator's";
  return launched().refusal_of(instance.stream);
}

}  // namespace Koinon::Impl
