// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/Koinon_FakeCalls.hpp>

#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace Koinon::Testing {

/// Memory that is made, passed on and mapped piece by piece.
struct FakeMappings {
  static CUresult check_properties(FakeDriver& f, CUmemAllocationProp const& p) {
    if (p.type != CU_MEM_ALLOCATION_TYPE_PINNED || p.location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
      return f.refuse("memory that is not pinned on a device");
    }
    if (!f.is_gpu(p.location.id)) return f.refuse("memory of no GPU", CUDA_ERROR_INVALID_DEVICE);
    FakeGpu const& g = f.m_gpus[static_cast<std::size_t>(p.location.id)];
    if (!g.maps) return f.refuse("the GPU cannot map", CUDA_ERROR_NOT_SUPPORTED);
    auto const types = static_cast<unsigned>(p.requestedHandleTypes);
    unsigned const known = (g.descriptors ? static_cast<unsigned>(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) : 0u) |
                           (g.fabric ? static_cast<unsigned>(CU_MEM_HANDLE_TYPE_FABRIC) : 0u);
    if ((types & ~known) != 0) return f.refuse("a handle type that the GPU lacks", CUDA_ERROR_NOT_SUPPORTED);
    return CUDA_SUCCESS;
  }
  static CUresult get_granularity(std::size_t* bytes, CUmemAllocationProp const* p, CUmemAllocationGranularity_flags) {
    KOINON_FAKE("cuMemGetAllocationGranularity", true, false)
    *bytes = FakeDriver::granularity;
    return check_properties(f, *p);
  }
  static CUresult create(CUmemGenericAllocationHandle* handle, std::size_t bytes, CUmemAllocationProp const* p,
                         unsigned long long flags) {
    KOINON_FAKE("cuMemCreate", true, true)
    if (CUresult const ok = check_properties(f, *p); ok != CUDA_SUCCESS) return ok;
    if (bytes == 0 || bytes % FakeDriver::granularity != 0 || flags != 0) return f.refuse("a size that is no multiple");
    return f.make_object({false, p->location.id, bytes, static_cast<unsigned>(p->requestedHandleTypes), 0}, handle);
  }
  static CUresult release(CUmemGenericAllocationHandle handle) {
    KOINON_FAKE("cuMemRelease", false, true)
    if (f.m_references[handle] < 1) return f.refuse("a handle is released that is not held");
    --f.m_references[handle];
    f.drop_if_unused(handle);
    return CUDA_SUCCESS;
  }
  static CUresult export_handle(void* out, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type,
                                unsigned long long flags) {
    KOINON_FAKE("cuMemExportToShareableHandle", true, true)
    FakeDriver::Object const* const object = f.find(handle);
    if (object == nullptr || flags != 0) return f.refuse("an export of no handle");
    if ((object->shared->types & static_cast<unsigned>(type)) == 0)
      return f.refuse("an export not asked for when made");
    if (type == CU_MEM_HANDLE_TYPE_FABRIC) {
      std::int64_t const where[2] = {getpid(), object->fd};
      std::memset(out, 0, sizeof(CUmemFabricHandle));
      std::memcpy(out, where, sizeof where);
      return CUDA_SUCCESS;
    }
    int const fd = dup(object->fd);
    if (fd < 0) return CUDA_ERROR_OPERATING_SYSTEM;
    std::memcpy(out, &fd, sizeof fd);
    return CUDA_SUCCESS;
  }
  static CUresult import_handle(CUmemGenericAllocationHandle* handle, void* from, CUmemAllocationHandleType type) {
    KOINON_FAKE("cuMemImportFromShareableHandle", true, true)
    int fd = -1;
    if (type == CU_MEM_HANDLE_TYPE_FABRIC) {
      std::int64_t where[2] = {};
      std::memcpy(where, from, sizeof where);
      fd = open(("/proc/" + std::to_string(where[0]) + "/fd/" + std::to_string(where[1])).c_str(), O_RDWR | O_CLOEXEC);
    } else {
      fd = fcntl(static_cast<int>(reinterpret_cast<std::intptr_t>(from)), F_DUPFD_CLOEXEC, 0);
    }
    if (fd < 0) return f.refuse("an import of nothing");
    struct stat status {};
    fstat(fd, &status);
    auto const size = static_cast<std::size_t>(status.st_size);
    void* const page = size < 2 * fake_page_bytes ? MAP_FAILED
                                                  : mmap(nullptr, fake_page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                                                         fd, static_cast<off_t>(size - fake_page_bytes));
    auto* const shared = static_cast<FakeDriver::Shared*>(page);
    if (page == MAP_FAILED || shared->magic != fake_magic || (shared->types & static_cast<unsigned>(type)) == 0) {
      close(fd);
      return f.refuse("an import of what was not exported so");
    }
    *handle = f.m_next_handle++;
    f.m_objects[*handle] = {fd, shared};
    f.m_references[*handle] = 1;
    return CUDA_SUCCESS;
  }
  static CUresult reserve(CUdeviceptr* at, std::size_t bytes, std::size_t alignment, CUdeviceptr hint,
                          unsigned long long flags) {
    KOINON_FAKE("cuMemAddressReserve", true, true)
    if (bytes == 0 || bytes % FakeDriver::granularity != 0) return f.refuse("a reservation of no multiple");
    if ((alignment & (alignment - 1)) != 0 || hint != 0 || flags != 0)
      return f.refuse("alignment no power of two, a hint, flags");
    std::size_t const step = alignment == 0 ? FakeDriver::granularity : alignment;
    void* const p = mmap(nullptr, bytes + step, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
    auto const begin = reinterpret_cast<CUdeviceptr>(p);
    *at = (begin + step - 1) / step * step;
    if (*at > begin) munmap(p, *at - begin);
    if (begin + step > *at) munmap(pointer(*at + bytes), begin + step - *at);
    f.m_reservations[*at] = bytes;
    return CUDA_SUCCESS;
  }
  static CUresult free_addresses(CUdeviceptr at, std::size_t bytes) {
    KOINON_FAKE("cuMemAddressFree", false, true)
    auto const found = f.m_reservations.find(at);
    if (found == f.m_reservations.end() || found->second != bytes)
      return f.refuse("addresses are freed that were not so reserved");
    auto const mapped = f.m_mappings.lower_bound(at);
    if (mapped != f.m_mappings.end() && mapped->first < at + bytes) return f.refuse("addresses are freed while mapped");
    munmap(pointer(at), bytes);
    f.m_reservations.erase(found);
    return CUDA_SUCCESS;
  }
  static CUresult map(CUdeviceptr at, std::size_t bytes, std::size_t offset, CUmemGenericAllocationHandle handle,
                      unsigned long long flags) {
    KOINON_FAKE("cuMemMap", true, true)
    FakeDriver::Object const* const object = f.find(handle);
    if (object == nullptr || offset != 0 || flags != 0) return f.refuse("a mapping of no handle, or with an offset");
    std::size_t const unit = object->shared->multicast ? FakeDriver::multicast_granularity : FakeDriver::granularity;
    if (at % unit != 0 || bytes % unit != 0 || bytes == 0) return f.refuse("a mapping that is no multiple");
    if (bytes > object->shared->bytes) return f.refuse("a mapping beyond the memory");
    auto reserved = f.m_reservations.upper_bound(at);
    if (reserved == f.m_reservations.begin() || at + bytes > (--reserved)->first + reserved->second) {
      return f.refuse("a mapping where nothing is reserved");
    }
    auto const next = f.m_mappings.lower_bound(at);
    bool const below = next != f.m_mappings.begin() && std::prev(next)->first + std::prev(next)->second.bytes > at;
    if (below || (next != f.m_mappings.end() && next->first < at + bytes)) return f.refuse("a mapping over another");
    if (object->shared->multicast) {
      if (std::popcount(object->shared->added.load()) != static_cast<int>(object->shared->devices)) {
        return f.refuse("a multicast object is mapped before all devices were added: the driver would wait for ever");
      }
      if (object->shared->bound != object->shared->added)
        return f.refuse("a multicast object is mapped before all is bound");
    } else if (mmap(pointer(at), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, object->fd, 0) == MAP_FAILED) {
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
    f.m_mappings[at] = {bytes, handle, {}};
    return CUDA_SUCCESS;
  }
  static CUresult unmap(CUdeviceptr at, std::size_t bytes) {
    KOINON_FAKE("cuMemUnmap", false, true)
    auto const found = f.m_mappings.find(at);
    if (found == f.m_mappings.end() || found->second.bytes != bytes)
      return f.refuse("what is not so mapped is unmapped");
    mmap(pointer(at), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    CUmemGenericAllocationHandle const handle = found->second.handle;
    f.m_mappings.erase(found);
    f.drop_if_unused(handle);
    return CUDA_SUCCESS;
  }
  static CUresult set_access(CUdeviceptr at, std::size_t bytes, CUmemAccessDesc const* accesses, std::size_t count) {
    KOINON_FAKE("cuMemSetAccess", true, true)
    auto const found = f.m_mappings.find(at);
    if (found == f.m_mappings.end() || found->second.bytes != bytes) return f.refuse("access to what is not so mapped");
    if (count == 0) return f.refuse("access for nobody");
    FakeDriver::Shared const& shared = *f.find(found->second.handle)->shared;
    for (std::size_t i = 0; i < count; ++i) {
      int const gpu = accesses[i].location.id;
      if (accesses[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || !f.is_gpu(gpu))
        return f.refuse("access for no GPU");
      if (accesses[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) return f.refuse("access without writing");
      if (shared.multicast && (shared.added >> gpu & 1) == 0)
        return f.refuse("access to multicast for a GPU not added");
      if (!shared.multicast && f.m_gpus[static_cast<std::size_t>(gpu)].unreachable.contains(shared.gpu)) {
        return f.refuse("access for a GPU out of reach", CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
      }
      if (!found->second.gpus.insert(gpu).second) return f.refuse("access is given twice");
    }
    if (!shared.multicast) mprotect(pointer(at), bytes, PROT_READ | PROT_WRITE);
    return CUDA_SUCCESS;
  }
};

void FakeDriver::fill_mappings() {
  m_table.cuMemGetAllocationGranularity = FakeMappings::get_granularity;
  m_table.cuMemCreate = FakeMappings::create;
  m_table.cuMemRelease = FakeMappings::release;
  m_table.cuMemExportToShareableHandle = FakeMappings::export_handle;
  m_table.cuMemImportFromShareableHandle = FakeMappings::import_handle;
  m_table.cuMemAddressReserve = FakeMappings::reserve;
  m_table.cuMemAddressFree = FakeMappings::free_addresses;
  m_table.cuMemMap = FakeMappings::map;
  m_table.cuMemUnmap = FakeMappings::unmap;
  m_table.cuMemSetAccess = FakeMappings::set_access;
}

}  // namespace Koinon::Testing
