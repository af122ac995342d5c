// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaGpus.hpp>
#include <Koinon_Error.hpp>
#include <node/Koinon_Vote.hpp>

#include <cstring>

namespace Koinon::Impl {

std::vector<CudaGpu> gather_gpus(Bootstrap& bootstrap, CudaDriver const& driver, CudaPlace const& place) {
  CudaGpu mine;
  vote(bootstrap, "asking the GPU what it can do", [&] {
    auto const has = [&](CUdevice_attribute attribute, char const* name) {
      int value = 0;
      check(driver, driver.cuDeviceGetAttribute(&value, attribute, place.device), std::string("asking for ") + name);
      return value != 0;
    };
    mine.device = place.device;
    check(driver, driver.cuDeviceGetPCIBusId(mine.bus_id, static_cast<int>(sizeof mine.bus_id), place.device),
          "asking for the bus id (cuDeviceGetPCIBusId)");
    mine.maps = has(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, "virtual memory management");
    mine.exports_descriptors =
        mine.maps && has(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, "export by descriptor");
    // A driver that does not know the newer attributes refuses them: then the device lacks what they stand for.
    auto const has_newer = [&](CUdevice_attribute attribute, char const* name) {
      int value = 0;
      CUresult const result = driver.cuDeviceGetAttribute(&value, attribute, place.device);
      if (result == CUDA_ERROR_INVALID_VALUE) return false;
      check(driver, result, std::string("asking for ") + name);
      return value != 0;
    };
    mine.exports_fabric = mine.maps && has_newer(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED, "fabric handles");
    mine.multicasts = mine.maps && has_newer(CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, "multicast");
  });
  return gather_values(bootstrap, mine);
}

std::vector<std::string> bus_ids(std::vector<CudaGpu> const& gpus) {
  std::vector<std::string> ids;
  for (CudaGpu const& gpu : gpus) ids.emplace_back(gpu.bus_id);
  return ids;
}

void require_reach(CudaDriver const& driver, std::vector<CudaGpu> const& gpus, int rank) {
  CudaGpu const& mine = gpus[static_cast<std::size_t>(rank)];
  for (std::size_t p = 0; p < gpus.size(); ++p) {
    if (std::strcmp(gpus[p].bus_id, mine.bus_id) == 0) continue;
    CUdevice theirs = 0;
    // Not visible to this process: mapping its memory will tell.
    if (driver.cuDeviceGetByPCIBusId(&theirs, gpus[p].bus_id) != CUDA_SUCCESS) continue;
    int can = 0;
    check(driver, driver.cuDeviceCanAccessPeer(&can, mine.device, theirs),
          "asking for peer access (cuDeviceCanAccessPeer)");
    if (can != 0) continue;
    throw ResourceError(std::string("GPU ") + mine.bus_id + " has no peer access to GPU " + gpus[p].bus_id +
                        " of rank " + std::to_string(p));
  }
}

}  // namespace Koinon::Impl
