// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaSegments.hpp>
#include <Koinon_DeviceIpc.hpp>
#include <Koinon_Error.hpp>
#include <node/Koinon_SharedSegments.hpp>

#include <algorithm>
#include <cstring>

namespace Koinon::Impl {

namespace {

constexpr std::size_t allocation_alignment = 4096;
// What is smaller may lie in one block with other allocations, and cudaIpc would share them too.
constexpr std::size_t ipc_alignment = std::size_t{2} << 20;

std::size_t rounded_up(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

CUmemAllocationProp properties_of(CudaSharing const& sharing) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = sharing.type;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = sharing.place.device;
  return properties;
}

/// Returns what sizes must be multiples of on every rank: powers of two. Collective.
std::size_t agree_on_granularity(CudaSharing const& sharing) {
  std::size_t granularity = 0;
  sharing.step("asking for the granularity of device memory", [&] {
    CUmemAllocationProp const properties = properties_of(sharing);
    check(sharing.driver,
          sharing.driver.cuMemGetAllocationGranularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
          "cuMemGetAllocationGranularity");
  });
  for (std::size_t const each : gather_values(sharing.bootstrap, granularity)) {
    granularity = std::max(granularity, each);
  }
  return granularity;
}

CudaHandle make_memory(CudaSharing const& sharing, std::size_t bytes) {
  CUmemAllocationProp const properties = properties_of(sharing);
  CUmemGenericAllocationHandle handle = 0;
  check(sharing.driver, sharing.driver.cuMemCreate(&handle, bytes, &properties, 0),
        "making " + std::to_string(bytes) + " bytes of device memory (cuMemCreate)");
  return CudaHandle(sharing.driver, handle);
}

template <class Has>
bool all_of(std::vector<CudaGpu> const& gpus, Has has) {
  return std::all_of(gpus.begin(), gpus.end(), [&](CudaGpu const& gpu) { return gpu.*has; });
}

bool share_one_gpu(std::vector<CudaGpu> const& gpus) {
  return std::all_of(gpus.begin(), gpus.end(),
                     [&](CudaGpu const& gpu) { return std::strcmp(gpu.bus_id, gpus.front().bus_id) == 0; });
}

/// Returns the ways by which handles can travel here, the preferred one first; each is tried by all ranks or none.
std::vector<CUmemAllocationHandleType> ways_between_processes(std::vector<CudaGpu> const& gpus) {
  std::vector<CUmemAllocationHandleType> ways;
  if (all_of(gpus, &CudaGpu::exports_descriptors)) ways.push_back(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  if (all_of(gpus, &CudaGpu::exports_fabric)) ways.push_back(CU_MEM_HANDLE_TYPE_FABRIC);
  return ways;
}

char const* name_of(CUmemAllocationHandleType type) {
  return type == CU_MEM_HANDLE_TYPE_FABRIC ? "fabric handles" : "file descriptors";
}

}  // namespace

CudaSegments::CudaSegments(Bootstrap& bootstrap, std::vector<Identity> const& identities, CudaPlace const& place,
                           std::shared_ptr<DeviceCalls const> const& calls, std::size_t bytes,
                           Environment const& environment, std::chrono::nanoseconds timeout) {
  vote(bootstrap, "finding the NVIDIA driver", [&] { (void)cuda_driver(); });
  CudaDriver const& driver = cuda_driver();
  std::vector<CudaGpu> const gpus = gather_gpus(bootstrap, driver, place);
  vote(bootstrap, "reaching the GPUs of the other ranks", [&] { require_reach(driver, gpus, bootstrap.rank()); });

  CudaSharing sharing{bootstrap, driver, place, gpus, all_in_one_process(identities), CU_MEM_HANDLE_TYPE_NONE, timeout};
  if (sharing.threads) {
    if (all_of(gpus, &CudaGpu::maps)) {
      // Nothing is exported, but a multicast object that could be wants memory that could be.
      if (all_of(gpus, &CudaGpu::multicasts) && all_of(gpus, &CudaGpu::exports_descriptors)) {
        sharing.type = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
      }
      share_mapped(sharing, bytes, environment);
      m_way = "one mapping for all threads";
      return;
    }
    if (!share_one_gpu(gpus)) {
      throw UnsupportedError(
          "Koinon: a GPU cannot map memory piece by piece (no virtual memory management), and threads "
          "on different GPUs need that");
    }
    share_allocated(sharing, bytes);
    m_way = "one allocation for all threads: the GPU cannot map piece by piece";
    return;
  }

  std::string tried;
  for (CUmemAllocationHandleType const type : ways_between_processes(gpus)) {
    sharing.type = type;
    try {
      share_mapped(sharing, bytes, environment);
      m_way = name_of(type) + (tried.empty() ? "" : "; tried before: " + tried);
      return;
    } catch (ResourceError const& e) {  // thrown by a vote, so on every rank
      tried += (tried.empty() ? "" : "; ") + std::string(name_of(type)) + ": " + e.what();
    }
  }
  if (tried.empty()) tried = "not every GPU exports memory by file descriptor, nor by fabric handle";
  try {
    share_by_ipc(sharing, identities, calls, bytes);
    m_way = "cudaIpc; tried before: " + tried;
  } catch (ResourceError const& e) {  // thrown by a vote, so on every rank
    throw ResourceError("Koinon: device memory could not be shared between processes: " + tried + "; cudaIpc: " +
                        e.what() + "; ranks that are threads of one process need none of it");
  }
}

void CudaSegments::share_mapped(CudaSharing const& sharing, std::size_t bytes, Environment const& environment) {
  auto const ranks = static_cast<std::size_t>(sharing.size());
  auto const rank = static_cast<std::size_t>(sharing.rank());
  std::size_t const least = agree_on_granularity(sharing);
  CudaMulticastPlan const plan = plan_multicast(sharing, environment, rounded_up(bytes, least));
  std::size_t const granularity = std::max(least, plan.granularity);
  std::size_t const segment = rounded_up(bytes, granularity);

  CudaHandle own;
  std::shared_ptr<CudaRange> range;
  if (sharing.threads) {
    range = make_on_first<CudaRange>(sharing, "reserving addresses between threads", [&] {
      return std::make_shared<CudaRange>(sharing.driver, segment * ranks, granularity);
    });
    sharing.step("making device memory", [&] {
      own = make_memory(sharing, segment);
      range->map(rank * segment, segment, own.get(), sharing.devices());
    });
  } else {
    sharing.step("making device memory", [&] { own = make_memory(sharing, segment); });
    std::vector<CudaHandle> const peers = exchange_handles(sharing, own.get());
    sharing.step("mapping device memory", [&] {
      range = std::make_shared<CudaRange>(sharing.driver, segment * ranks, granularity);
      for (std::size_t p = 0; p < ranks; ++p) {
        range->map(p * segment, segment, p == rank ? own.get() : peers[p].get(), sharing.devices());
      }
    });
  }

  m_multicast_refusal = plan.refusal;
  if (plan.functions) {
    try {
      m_multicast = std::make_unique<CudaMulticast>(sharing, *plan.functions, own.get(), segment, plan.granularity);
    } catch (ResourceError const& e) {  // thrown by a vote, so on every rank
      m_multicast_refusal = e.what();
    }
  }
  m_base = range->at();
  m_bytes = segment;
  m_memory = std::move(range);
}

void CudaSegments::share_allocated(CudaSharing const& sharing, std::size_t bytes) {
  m_bytes = rounded_up(bytes, allocation_alignment);
  auto const allocation = make_on_first<CudaAllocation>(sharing, "allocating device memory", [&] {
    return std::make_shared<CudaAllocation>(sharing.driver, sharing.place,
                                            m_bytes * static_cast<std::size_t>(sharing.size()));
  });
  m_base = allocation->at();
  m_memory = allocation;
  m_multicast_refusal = "the GPU cannot map memory piece by piece";
}

void CudaSegments::share_by_ipc(CudaSharing const& sharing, std::vector<Identity> const& identities,
                                std::shared_ptr<DeviceCalls const> const& calls, std::size_t bytes) {
  m_bytes = rounded_up(bytes, ipc_alignment);
  auto const segments = std::make_shared<DeviceIpcSegments>(*calls, sharing.bootstrap, sharing.timeout);
  segments->share(sharing.bootstrap, identities, m_bytes);
  for (int p = 0; p < sharing.size(); ++p) m_apart.push_back(segments->segment(p));
  m_base = segments->segment(sharing.rank());
  m_memory = segments;
  m_multicast_refusal = "memory that cudaIpc shares has no multicast address";
}

}  // namespace Koinon::Impl
