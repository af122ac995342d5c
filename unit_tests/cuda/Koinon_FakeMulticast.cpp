// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/Koinon_FakeCalls.hpp>

#include <cstring>

namespace Koinon::Testing {

/// Multicast objects, by look-up only.
struct FakeMulticast {
  static CUresult check_multicast(FakeDriver& f, CUmulticastObjectProp const& p) {
    if (p.numDevices < 2 || p.numDevices > f.m_gpus.size() || p.flags != 0)
      return f.refuse("a multicast object of so many devices");
    auto const known = static_cast<unsigned>(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) |
                       static_cast<unsigned>(CU_MEM_HANDLE_TYPE_FABRIC);
    if ((p.handleTypes & ~static_cast<unsigned long long>(known)) != 0) return f.refuse("an unknown handle type");
    return CUDA_SUCCESS;
  }
  static CUresult multicast_granularity(std::size_t* bytes, CUmulticastObjectProp const* p,
                                        CUmulticastGranularity_flags option) {
    KOINON_FAKE("cuMulticastGetGranularity", true, false)
    *bytes = option == CU_MULTICAST_GRANULARITY_MINIMUM ? FakeDriver::multicast_granularity : std::size_t{512} << 20;
    return check_multicast(f, *p);
  }
  static CUresult multicast_create(CUmemGenericAllocationHandle* handle, CUmulticastObjectProp const* p) {
    KOINON_FAKE("cuMulticastCreate", true, true)
    if (CUresult const ok = check_multicast(f, *p); ok != CUDA_SUCCESS) return ok;
    if (p->size == 0 || p->size % FakeDriver::multicast_granularity != 0)
      return f.refuse("a multicast size that is no multiple");
    return f.make_object({true, -1, p->size, p->handleTypes, p->numDevices}, handle);
  }
  static FakeDriver::Object* find_multicast(FakeDriver& f, CUmemGenericAllocationHandle handle) {
    FakeDriver::Object* const object = f.find(handle);
    return object != nullptr && object->shared->multicast && f.m_references[handle] > 0 ? object : nullptr;
  }
  static CUresult multicast_add(CUmemGenericAllocationHandle handle, CUdevice gpu) {
    KOINON_FAKE("cuMulticastAddDevice", true, true)
    FakeDriver::Object* const object = find_multicast(f, handle);
    if (object == nullptr || !f.is_gpu(gpu)) return f.refuse("no multicast object, or no GPU, is added");
    if (!f.m_gpus[static_cast<std::size_t>(gpu)].multicast) return f.refuse("a GPU without multicast is added");
    std::uint64_t const bit = std::uint64_t{1} << gpu;
    if ((object->shared->added.fetch_or(bit) & bit) != 0) return f.refuse("a GPU is added twice");
    if (std::popcount(object->shared->added.load()) > static_cast<int>(object->shared->devices))
      return f.refuse("too many GPUs");
    return CUDA_SUCCESS;
  }
  static CUresult multicast_bind(CUmemGenericAllocationHandle handle, std::size_t offset,
                                 CUmemGenericAllocationHandle memory, std::size_t memory_offset, std::size_t bytes,
                                 unsigned long long flags) {
    KOINON_FAKE("cuMulticastBindMem", true, true)
    FakeDriver::Object* const object = find_multicast(f, handle);
    FakeDriver::Object* const bound = f.find(memory);
    if (object == nullptr || bound == nullptr || bound->shared->multicast || f.m_references[memory] < 1) {
      return f.refuse("no multicast object, or no memory, is bound");
    }
    if (offset != 0 || memory_offset != 0 || flags != 0 || bytes % FakeDriver::multicast_granularity != 0 ||
        bytes == 0 || bytes > object->shared->bytes || bytes > bound->shared->bytes) {
      return f.refuse("a binding that does not fit");
    }
    if (std::popcount(object->shared->added.load()) != static_cast<int>(object->shared->devices)) {
      return f.refuse("memory is bound before all devices were added: the driver would wait for ever");
    }
    if (object->shared->types != 0 && bound->shared->types == 0)
      return f.refuse("memory that cannot be exported is bound");
    std::uint64_t const bit = std::uint64_t{1} << bound->shared->gpu;
    if ((object->shared->added & bit) == 0) return f.refuse("memory of a GPU that was not added is bound");
    if ((object->shared->bound.fetch_or(bit) & bit) != 0) return f.refuse("memory of a GPU is bound twice");
    f.m_bindings.insert({handle, bound->shared->gpu});
    return CUDA_SUCCESS;
  }
  static CUresult multicast_unbind(CUmemGenericAllocationHandle handle, CUdevice gpu, std::size_t offset,
                                   std::size_t bytes) {
    KOINON_FAKE("cuMulticastUnbind", false, true)
    FakeDriver::Object* const object = find_multicast(f, handle);
    if (object == nullptr || offset != 0 || bytes != object->shared->bytes) return f.refuse("an unbinding of nothing");
    for (auto const& [at, mapping] : f.m_mappings) {
      if (mapping.handle == handle) return f.refuse("memory is unbound while the multicast object is mapped");
    }
    if (f.m_bindings.erase({handle, gpu}) != 1) return f.refuse("memory is unbound that is not bound");
    object->shared->bound.fetch_and(~(std::uint64_t{1} << gpu));
    return CUDA_SUCCESS;
  }

  static CUresult find(char const* name, int version, void** function) {
    FakeDriver& f = *fake;
    std::lock_guard const lock(f.m_mutex);
    std::string const lookup = std::string(name) + " looked up";
    if (CUresult const entered = f.enter(lookup.c_str(), true); entered != CUDA_SUCCESS) return entered;
    auto const give = [&](auto known) {
      std::memcpy(function, &known, sizeof known);
      return version == 12010 ? CUDA_SUCCESS : f.refuse("a multicast function of another version");
    };
    std::string const asked = name;
    if (asked == "cuMulticastGetGranularity")
      return give(static_cast<decltype(&::cuMulticastGetGranularity)>(multicast_granularity));
    if (asked == "cuMulticastCreate") return give(static_cast<decltype(&::cuMulticastCreate)>(multicast_create));
    if (asked == "cuMulticastAddDevice") return give(static_cast<decltype(&::cuMulticastAddDevice)>(multicast_add));
    if (asked == "cuMulticastBindMem") return give(static_cast<decltype(&::cuMulticastBindMem)>(multicast_bind));
    if (asked == "cuMulticastUnbind") return give(static_cast<decltype(&::cuMulticastUnbind)>(multicast_unbind));
    return f.refuse("a function that the fake does not know is looked up", CUDA_ERROR_NOT_FOUND);
  }
};

void FakeDriver::fill_multicast() {
  m_table.find = FakeMulticast::find;
}

}  // namespace Koinon::Testing
