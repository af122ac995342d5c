// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda/Koinon_FakeDriver.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// What the parts of the fake driver share.
namespace Koinon::Testing {

inline constexpr std::size_t fake_page_bytes = 4096;
inline constexpr std::uint64_t fake_magic = 0x4B6F696E6F6E4661;

inline FakeDriver* fake = nullptr;  // that is in force
inline thread_local std::vector<CUcontext> contexts;
inline thread_local CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

inline CUcontext context_of(int gpu) {
  return reinterpret_cast<CUcontext>(static_cast<std::uintptr_t>(0x100 + gpu));
}
inline int gpu_of(CUcontext context) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(context)) - 0x100;
}
inline void* pointer(CUdeviceptr at) {
  return reinterpret_cast<void*>(at);
}

/// Is what every process that has a handle of an object sees: the last page of the object's file.
struct FakeDriver::Shared {
  std::uint64_t magic;
  bool multicast;
  int gpu;  // of memory
  std::size_t bytes;
  unsigned long long types;
  unsigned devices;                  // of a multicast object
  std::atomic<std::uint64_t> added;  // a bit a GPU
  std::atomic<std::uint64_t> bound;

  Shared(bool multicast_, int gpu_, std::size_t bytes_, unsigned long long types_, unsigned devices_)
      : magic(fake_magic),
        multicast(multicast_),
        gpu(gpu_),
        bytes(bytes_),
        types(types_),
        devices(devices_),
        added(0),
        bound(0) {}
  Shared(Shared const& other) : Shared(other.multicast, other.gpu, other.bytes, other.types, other.devices) {}
};

// Begins a function of the driver, which holds the lock for its whole length: its name, whether it may be made to fail,
// and whether another thread's capture forbids it.
#define KOINON_FAKE(name, may_fail, forbidden)                                                   \
  FakeDriver& f = *fake;                                                                         \
  std::lock_guard const lock(f.m_mutex);                                                         \
  if (CUresult const entered = f.enter(name, may_fail); entered != CUDA_SUCCESS) return entered; \
  if (forbidden && capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED) {                             \
    return f.refuse(std::string(name) + " could invalidate another thread's capture");           \
  }

}  // namespace Koinon::Testing
