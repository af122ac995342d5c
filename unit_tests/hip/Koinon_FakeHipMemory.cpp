// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hip/Koinon_FakeHipCalls.hpp>

#include <cstdlib>
#include <cstring>

namespace Koinon::Testing {

/// Pinned host memory, work on memory, and what a pointer is.
struct FakeHipMemory {
  static hipError_t host_allocate(void** p, std::size_t bytes, unsigned flags) {
    KOINON_FAKE_HIP("hipHostMalloc", true, true)
    if (flags != (hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent)) {
      return f.refuse("pinned memory that is not portable, mapped and coherent");
    }
    std::size_t const whole = (bytes + fake_hip_page_bytes - 1) / fake_hip_page_bytes * fake_hip_page_bytes;
    *p = std::aligned_alloc(fake_hip_page_bytes, whole);
    f.m_pinned[static_cast<std::byte*>(*p)] = bytes;
    return hipSuccess;
  }
  static hipError_t host_free(void* p) {
    KOINON_FAKE_HIP("hipHostFree", false, true)
    if (f.m_pinned.erase(static_cast<std::byte*>(p)) != 1) return f.refuse("host memory that was not allocated is freed");
    std::free(p);
    return hipSuccess;
  }
  static hipError_t host_pointer(void** at, void* p, unsigned flags) {
    KOINON_FAKE_HIP("hipHostGetDevicePointer", true, false)
    auto* const begin = static_cast<std::byte*>(p);
    if (flags != 0 || (!f.m_pinned.contains(begin) && !f.m_registered.contains(begin))) {
      return f.refuse("a device pointer of memory that is not pinned");
    }
    *at = p;
    return hipSuccess;
  }
  static hipError_t host_register(void* p, std::size_t bytes, unsigned flags) {
    KOINON_FAKE_HIP("hipHostRegister", true, true)
    if (flags != (hipHostRegisterPortable | hipHostRegisterMapped)) return f.refuse("pages not portable and mapped");
    auto* const begin = static_cast<std::byte*>(p);
    if (reinterpret_cast<std::uintptr_t>(p) % fake_hip_page_bytes != 0 || bytes % fake_hip_page_bytes != 0) {
      return f.refuse("not whole pages");
    }
    for (auto const& [other, size] : f.m_registered) {
      if (begin < other + size && other < begin + bytes) {
        return f.refuse("a page is registered twice", hipErrorHostMemoryAlreadyRegistered);
      }
    }
    f.m_registered[begin] = bytes;
    return hipSuccess;
  }
  static hipError_t host_unregister(void* p) {
    KOINON_FAKE_HIP("hipHostUnregister", false, true)
    return f.m_registered.erase(static_cast<std::byte*>(p)) == 1
               ? hipSuccess
               : f.refuse("memory that was not registered is unregistered", hipErrorHostMemoryNotRegistered);
  }

  static hipError_t use(FakeHipRuntime& f, hipStream_t stream, void const* at, std::size_t bytes) {
    auto const found = f.m_streams.find(stream);
    if (found == f.m_streams.end()) return f.refuse("work on a stream that does not exist, or on the null stream");
    if (found->second != current_gpu) return f.refuse("work on a stream of another device");
    return f.accessible(current_gpu, at, bytes) ? hipSuccess : f.refuse("work on memory that the GPU cannot access");
  }
  static hipError_t fill_bytes(void* at, int value, std::size_t bytes, hipStream_t stream) {
    KOINON_FAKE_HIP("hipMemsetAsync", true, false)
    if (hipError_t const used = use(f, stream, at, bytes); used != hipSuccess) return used;
    std::memset(at, value, bytes);
    return hipSuccess;
  }
  static hipError_t fill_words(hipDeviceptr_t at, int value, std::size_t words, hipStream_t stream) {
    KOINON_FAKE_HIP("hipMemsetD32Async", true, false)
    if (reinterpret_cast<std::uintptr_t>(at) % 4 != 0) return f.refuse("words that are not aligned");
    if (hipError_t const used = use(f, stream, at, 4 * words); used != hipSuccess) return used;
    for (std::size_t i = 0; i < words; ++i) static_cast<int*>(at)[i] = value;
    return hipSuccess;
  }
  static hipError_t copy(void* to, void const* from, std::size_t bytes, hipMemcpyKind kind, hipStream_t stream) {
    KOINON_FAKE_HIP("hipMemcpyAsync", true, false)
    if (kind != hipMemcpyHostToDevice && kind != hipMemcpyDeviceToHost) return f.refuse("a copy of another kind");
    void const* const on_device = kind == hipMemcpyHostToDevice ? to : from;
    if (hipError_t const used = use(f, stream, on_device, bytes); used != hipSuccess) return used;
    std::memcpy(to, from, bytes);
    return hipSuccess;
  }

  static hipError_t attributes(hipPointerAttribute_t* told, void const* p) {
    KOINON_FAKE_HIP("hipPointerGetAttributes", true, false)
    if (p == nullptr) return f.refuse("attributes of null");
    std::memset(told, 0, sizeof *told);
    told->type = hipMemoryTypeUnregistered;
    told->device = -2;
    auto* const at = static_cast<std::byte*>(const_cast<void*>(p));
    auto const is_device = [&](auto const& blocks) {
      for (auto const& [begin, block] : blocks) {
        if (at < begin || at >= begin + block.bytes) continue;
        told->type = hipMemoryTypeDevice;
        told->device = block.gpu;
        told->devicePointer = at;
      }
    };
    is_device(f.m_allocations);
    is_device(f.m_opened);
    auto const be_pinned = [&](std::byte* on_device) {
      told->type = hipMemoryTypeHost;
      told->hostPointer = at;
      told->devicePointer = on_device;
    };
    for (auto const& [begin, bytes] : f.m_pinned) {
      if (at >= begin && at < begin + bytes) be_pinned(at);
    }
    using Origin = FakeHipRuntime::Origin;
    if (auto const* const known = f.known_at(p)) {
      told->device = known->gpu;
      told->devicePointer = at;
      if (known->origin == Origin::device) told->type = hipMemoryTypeDevice;
      if (known->origin == Origin::array) told->type = hipMemoryTypeArray;
      if (known->origin == Origin::pinned) be_pinned(at);
      if (known->origin == Origin::moved) be_pinned(at + (std::size_t{1} << 40));
      if (known->origin == Origin::managed) {
        told->type = hipMemoryTypeManaged;
        told->isManaged = 1;
      }
    }
    return hipSuccess;
  }
};

void FakeHipRuntime::fill_memory() {
  m_table.hipHostMalloc = Noted<FakeHipMemory::host_allocate>::call;
  m_table.hipHostFree = Noted<FakeHipMemory::host_free>::call;
  m_table.hipHostGetDevicePointer = Noted<FakeHipMemory::host_pointer>::call;
  m_table.hipHostRegister = Noted<FakeHipMemory::host_register>::call;
  m_table.hipHostUnregister = Noted<FakeHipMemory::host_unregister>::call;
  m_table.hipMemsetAsync = Noted<FakeHipMemory::fill_bytes>::call;
  m_table.hipMemsetD32Async = Noted<FakeHipMemory::fill_words>::call;
  m_table.hipMemcpyAsync = Noted<FakeHipMemory::copy>::call;
  m_table.hipPointerGetAttributes = Noted<FakeHipMemory::attributes>::call;
}

}  // namespace Koinon::Testing
