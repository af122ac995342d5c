// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Error.hpp>
#include <Koinon_HipGpus.hpp>
#include <node/Koinon_Vote.hpp>

#include <string>

namespace Koinon::Impl {

std::vector<HipGpu> gather_gpus(Bootstrap& bootstrap, HipRuntime const& runtime, HipPlace const& place) {
  HipGpu mine;
  vote(bootstrap, "asking the GPU who it is", [&] {
    mine.device = place.device;
    check(runtime, runtime.hipDeviceGetPCIBusId(mine.bus_id, static_cast<int>(sizeof mine.bus_id), place.device),
          "asking for the bus id (hipDeviceGetPCIBusId)");
  });
  return gather_values(bootstrap, mine);
}

void require_reach(HipRuntime const& runtime, std::vector<HipGpu> const& gpus, int rank, bool threads) {
  HipGpu const& mine = gpus[static_cast<std::size_t>(rank)];
  for (std::size_t p = 0; p < gpus.size(); ++p) {
    int theirs = gpus[p].device;
    // Not visible to this process: mapping its memory will tell.
    if (!threads && runtime.hipDeviceGetByPCIBusId(&theirs, gpus[p].bus_id) != hipSuccess) {
      (void)runtime.hipGetLastError();
      continue;
    }
    if (theirs == mine.device) continue;
    int can = 0;
    check(runtime, runtime.hipDeviceCanAccessPeer(&can, mine.device, theirs),
          "asking for peer access (hipDeviceCanAccessPeer)");
    if (can != 0) continue;
    throw ResourceError(std::string("GPU ") + mine.bus_id + " has no peer access to GPU " + gpus[p].bus_id +
                        " of rank " + std::to_string(p));
  }
}

void open_access(HipRuntime const& runtime, std::vector<HipGpu> const& gpus, int rank) {
  HipPlace const place{gpus[static_cast<std::size_t>(rank)].device};
  HipCurrent const current(runtime, place);
  for (HipGpu const& gpu : gpus) {
    if (gpu.device == place.device) continue;
    hipError_t const opened = runtime.hipDeviceEnablePeerAccess(gpu.device, 0);
    if (opened == hipErrorPeerAccessAlreadyEnabled) {
      (void)runtime.hipGetLastError();
      continue;
    }
    check(runtime, opened, std::string("opening access to GPU ") + gpu.bus_id + " (hipDeviceEnablePeerAccess)");
  }
}

}  // namespace Koinon::Impl
