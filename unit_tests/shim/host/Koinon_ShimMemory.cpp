// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <host/Koinon_ShimStreams.hpp>

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>

using Koinon::Shim::note;
using Koinon::Shim::stream_of;

namespace {

struct Memory {
  std::size_t bytes;
  hipMemoryType type;
  int device;
};

std::mutex mutex;
std::map<char const*, Memory> known;

hipError_t make(void** at, std::size_t bytes, hipMemoryType type) {
  if (bytes == 0) return note(hipErrorInvalidValue);
  constexpr std::size_t page = 4096;
  void* const made = std::aligned_alloc(page, (bytes + page - 1) / page * page);
  if (made == nullptr) return note(hipErrorOutOfMemory);
  std::memset(made, 0xA5, bytes < 65536 ? bytes : 65536);  // memory is what others left there
  std::lock_guard const lock(mutex);
  known[static_cast<char const*>(made)] = {bytes, type, Koinon::Shim::current_device};
  *at = made;
  return hipSuccess;
}

/// Frees what was made so. Not waited for anybody, as the runtime would: who still uses it is at fault.
hipError_t unmake(void* at, hipMemoryType type) {
  {
    std::lock_guard const lock(mutex);
    auto const found = known.find(static_cast<char const*>(at));
    if (found == known.end() || found->second.type != type) return note(hipErrorInvalidValue);
    known.erase(found);
  }
  std::free(at);
  return hipSuccess;
}

}  // namespace

extern "C" {

hipError_t hipMalloc(void** at, size_t bytes) {
  return make(at, bytes, hipMemoryTypeDevice);
}
hipError_t hipExtMallocWithFlags(void** at, size_t bytes, unsigned flags) {
  return flags == hipDeviceMallocUncached ? make(at, bytes, hipMemoryTypeDevice) : note(hipErrorNotSupported);
}
hipError_t hipFree(void* at) {
  return unmake(at, hipMemoryTypeDevice);
}
hipError_t hipHostMalloc(void** at, size_t bytes, unsigned) {
  return make(at, bytes, hipMemoryTypeHost);
}
hipError_t hipHostFree(void* at) {
  return unmake(at, hipMemoryTypeHost);
}
hipError_t hipHostGetDevicePointer(void** on_device, void* at, unsigned) {
  *on_device = at;
  return hipSuccess;
}
hipError_t hipHostRegister(void* at, size_t bytes, unsigned) {
  std::lock_guard const lock(mutex);
  bool const made = known.emplace(static_cast<char const*>(at), Memory{bytes, hipMemoryTypeManaged, 0}).second;
  return made ? hipSuccess : note(hipErrorHostMemoryAlreadyRegistered);
}
hipError_t hipHostUnregister(void* at) {
  std::lock_guard const lock(mutex);
  return known.erase(static_cast<char const*>(at)) == 1 ? hipSuccess : note(hipErrorHostMemoryNotRegistered);
}

hipError_t hipMemsetAsync(void* at, int value, size_t bytes, hipStream_t stream) {
  stream_of(stream).enqueue([=] { std::memset(at, value, bytes); });
  return hipSuccess;
}
hipError_t hipMemsetD32Async(hipDeviceptr_t at, int value, size_t words, hipStream_t stream) {
  stream_of(stream).enqueue([=] {
    for (std::size_t i = 0; i < words; ++i) static_cast<int*>(at)[i] = value;
  });
  return hipSuccess;
}
hipError_t hipMemcpyAsync(void* to, void const* from, size_t bytes, hipMemcpyKind, hipStream_t stream) {
  stream_of(stream).enqueue([=] { std::memcpy(to, from, bytes); });
  return hipSuccess;
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, void const* at) {
  *attributes = {};
  attributes->device = -2;
  auto const* const p = static_cast<char const*>(at);
  std::lock_guard const lock(mutex);
  auto const next = known.upper_bound(p);
  if (next == known.begin()) return hipSuccess;
  auto const& [begin, memory] = *std::prev(next);
  if (p >= begin + memory.bytes) return hipSuccess;
  attributes->type = memory.type;
  attributes->device = memory.device;
  attributes->devicePointer = const_cast<char*>(p);
  return hipSuccess;
}

// Ranks are threads here.
hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t*, void*) {
  return note(hipErrorNotSupported);
}
hipError_t hipIpcOpenMemHandle(void**, hipIpcMemHandle_t, unsigned) {
  return note(hipErrorNotSupported);
}
hipError_t hipIpcCloseMemHandle(void*) {
  return note(hipErrorNotSupported);
}

}  // extern "C"
