// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/Koinon_FakeCalls.hpp>

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace Koinon::Testing {

/// Plain device memory, pinned host memory, and what a pointer is.
struct FakeAllocations {
  static CUresult allocate(CUdeviceptr* at, std::size_t bytes) {
    KOINON_FAKE("cuMemAlloc", true, true)
    if (f.current_gpu() < 0) return f.refuse("an allocation without a context", CUDA_ERROR_INVALID_CONTEXT);
    std::size_t const whole = (bytes + fake_page_bytes - 1) / fake_page_bytes * fake_page_bytes;
    FakeDriver::Object file;
    CUresult const made = FakeDriver::make_file({false, f.current_gpu(), whole, 0, 0}, file);
    if (made != CUDA_SUCCESS) return made;
    void* const p = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd, 0);
    if (p == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
    *at = reinterpret_cast<CUdeviceptr>(p);
    f.m_allocations[*at] = {whole, f.current_gpu(), file};
    return CUDA_SUCCESS;
  }
  static CUresult free_memory(CUdeviceptr at) {
    KOINON_FAKE("cuMemFree", false, true)
    auto const found = f.m_allocations.find(at);
    if (found == f.m_allocations.end()) return f.refuse("memory that was not allocated is freed");
    auto const& [bytes, gpu, file] = found->second;
    if (f.current_gpu() != gpu) return f.refuse("memory is freed in another context");
    if (file.shared->added != 0) return f.refuse("memory is freed while another process has opened it");
    munmap(pointer(at), bytes);
    munmap(file.shared, fake_page_bytes);
    close(file.fd);
    f.m_allocations.erase(found);
    return CUDA_SUCCESS;
  }
  static CUresult host_allocate(void** p, std::size_t bytes, unsigned flags) {
    KOINON_FAKE("cuMemHostAlloc", true, true)
    if (f.current_gpu() < 0) return f.refuse("pinned memory without a context", CUDA_ERROR_INVALID_CONTEXT);
    if (flags != (CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP))
      return f.refuse("pinned memory not portable, mapped");
    *p = std::aligned_alloc(fake_page_bytes, (bytes + fake_page_bytes - 1) / fake_page_bytes * fake_page_bytes);
    f.m_pinned[*p] = bytes;
    return CUDA_SUCCESS;
  }
  static CUresult host_free(void* p) {
    KOINON_FAKE("cuMemFreeHost", false, true)
    if (f.m_pinned.erase(p) != 1) return f.refuse("host memory that was not allocated is freed");
    std::free(p);
    return CUDA_SUCCESS;
  }
  static CUresult host_pointer(CUdeviceptr* at, void* p, unsigned flags) {
    KOINON_FAKE("cuMemHostGetDevicePointer", true, false)
    if (flags != 0 || (!f.m_pinned.contains(p) && !f.m_registered.contains(p))) {
      return f.refuse("a device pointer of memory that is not pinned");
    }
    *at = reinterpret_cast<CUdeviceptr>(p);
    return CUDA_SUCCESS;
  }
  static CUresult host_register(void* p, std::size_t bytes, unsigned) {
    KOINON_FAKE("cuMemHostRegister", true, true)
    if (reinterpret_cast<std::uintptr_t>(p) % fake_page_bytes != 0 || bytes % fake_page_bytes != 0)
      return f.refuse("not whole pages");
    for (auto const& [other, size] : f.m_registered) {
      if (p < static_cast<char*>(other) + size && other < static_cast<char*>(p) + bytes) {
        return f.refuse("a page is registered twice", CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
      }
    }
    f.m_registered[p] = bytes;
    return CUDA_SUCCESS;
  }
  static CUresult host_unregister(void* p) {
    KOINON_FAKE("cuMemHostUnregister", false, true)
    return f.m_registered.erase(p) == 1 ? CUDA_SUCCESS : f.refuse("memory that was not registered is unregistered");
  }

  static CUresult pointer_attributes(unsigned count, CUpointer_attribute* attributes, void** data, CUdeviceptr at) {
    KOINON_FAKE("cuPointerGetAttributes", true, false)
    if (f.current_gpu() < 0) return f.refuse("a pointer's attributes without a context", CUDA_ERROR_INVALID_CONTEXT);
    bool on_some_device = false;
    for (int gpu = 0; f.is_gpu(gpu); ++gpu) on_some_device = on_some_device || f.accessible(gpu, at, 1);
    FakeDriver::Known const* const known = f.known_at(at);
    bool const managed = known != nullptr && known->origin == FakeDriver::Origin::managed;
    bool const elsewhere = known != nullptr && !managed && known->origin != FakeDriver::Origin::pinned;
    bool pinned = known != nullptr && known->origin == FakeDriver::Origin::pinned;
    for (auto const& [p, bytes] : f.m_pinned) pinned = pinned || at - reinterpret_cast<CUdeviceptr>(p) < bytes;
    bool const reached = pinned || managed || f.accessible(f.current_gpu(), at, 1) ||
                         (elsewhere && (known->gpu == f.current_gpu() ||
                                        f.m_opened.contains({f.current_gpu(), known->gpu})));
    on_some_device = on_some_device || elsewhere || managed;
    for (unsigned i = 0; i < count; ++i) {
      switch (attributes[i]) {
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: {
          unsigned const type = pinned           ? static_cast<unsigned>(CU_MEMORYTYPE_HOST)
                                : on_some_device ? static_cast<unsigned>(CU_MEMORYTYPE_DEVICE)
                                                 : 0u;
          std::memcpy(data[i], &type, sizeof type);
          break;
        }
        case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: {
          CUdeviceptr const on_device = reached ? at : 0;
          std::memcpy(data[i], &on_device, sizeof on_device);
          break;
        }
        case CU_POINTER_ATTRIBUTE_IS_MANAGED: {
          int const is_managed = managed;
          std::memcpy(data[i], &is_managed, sizeof is_managed);
          break;
        }
        default:
          return f.refuse("an attribute that the fake does not know");
      }
    }
    return CUDA_SUCCESS;
  }
};

void FakeDriver::fill_allocations() {
  m_table.cuMemAlloc = FakeAllocations::allocate;
  m_table.cuMemFree = FakeAllocations::free_memory;
  m_table.cuMemHostAlloc = FakeAllocations::host_allocate;
  m_table.cuMemFreeHost = FakeAllocations::host_free;
  m_table.cuMemHostGetDevicePointer = FakeAllocations::host_pointer;
  m_table.cuMemHostRegister = FakeAllocations::host_register;
  m_table.cuMemHostUnregister = FakeAllocations::host_unregister;
  m_table.cuPointerGetAttributes = FakeAllocations::pointer_attributes;
}

}  // namespace Koinon::Testing
