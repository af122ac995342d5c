// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>
#include <Koinon_HipPlace.hpp>

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <new>
#include <string>
#include <type_traits>

// The functions of the runtime that Koinon calls, with their types: some have overloads beside them.
#define KOINON_HIP_FUNCTIONS(F)                                                                               \
  F(hipGetDevice, hipError_t(int*))                                                                           \
  F(hipSetDevice, hipError_t(int))                                                                            \
  F(hipGetDeviceProperties, hipError_t(hipDeviceProp_t*, int))                                                \
  F(hipDeviceGetAttribute, hipError_t(int*, hipDeviceAttribute_t, int))                                       \
  F(hipDeviceGetPCIBusId, hipError_t(char*, int, int))                                                        \
  F(hipDeviceGetByPCIBusId, hipError_t(int*, char const*))                                                    \
  F(hipDeviceCanAccessPeer, hipError_t(int*, int, int))                                                       \
  F(hipDeviceEnablePeerAccess, hipError_t(int, unsigned))                                                     \
  F(hipThreadExchangeStreamCaptureMode, hipError_t(hipStreamCaptureMode*))                                    \
  F(hipStreamCreateWithFlags, hipError_t(hipStream_t*, unsigned))                                             \
  F(hipStreamDestroy, hipError_t(hipStream_t))                                                                \
  F(hipStreamSynchronize, hipError_t(hipStream_t))                                                            \
  F(hipStreamGetCaptureInfo, hipError_t(hipStream_t, hipStreamCaptureStatus*, unsigned long long*))           \
  F(hipStreamWaitEvent, hipError_t(hipStream_t, hipEvent_t, unsigned))                                        \
  F(hipStreamGetDevice, hipError_t(hipStream_t, hipDevice_t*))                                                \
  F(hipEventCreateWithFlags, hipError_t(hipEvent_t*, unsigned))                                               \
  F(hipEventDestroy, hipError_t(hipEvent_t))                                                                  \
  F(hipEventRecord, hipError_t(hipEvent_t, hipStream_t))                                                      \
  F(hipExtMallocWithFlags, hipError_t(void**, std::size_t, unsigned))                                         \
  F(hipFree, hipError_t(void*))                                                                               \
  F(hipHostMalloc, hipError_t(void**, std::size_t, unsigned))                                                 \
  F(hipHostFree, hipError_t(void*))                                                                           \
  F(hipHostGetDevicePointer, hipError_t(void**, void*, unsigned))                                             \
  F(hipHostRegister, hipError_t(void*, std::size_t, unsigned))                                                \
  F(hipHostUnregister, hipError_t(void*))                                                                     \
  F(hipMemsetAsync, hipError_t(void*, int, std::size_t, hipStream_t))                                         \
  F(hipMemsetD32Async, hipError_t(hipDeviceptr_t, int, std::size_t, hipStream_t))                             \
  F(hipMemcpyAsync, hipError_t(void*, void const*, std::size_t, hipMemcpyKind, hipStream_t))                  \
  F(hipIpcGetMemHandle, hipError_t(hipIpcMemHandle_t*, void*))                                                \
  F(hipIpcOpenMemHandle, hipError_t(void**, hipIpcMemHandle_t, unsigned))                                     \
  F(hipIpcCloseMemHandle, hipError_t(void*))                                                                  \
  F(hipPointerGetAttributes, hipError_t(hipPointerAttribute_t*, void const*))                                 \
  F(hipFuncGetAttributes, hipError_t(hipFuncAttributes*, void const*))                                        \
  F(hipLaunchKernel, hipError_t(void const*, dim3, dim3, void**, std::size_t, hipStream_t))                   \
  F(hipGetLastError, hipError_t())                                                                            \
  F(hipGetErrorName, char const*(hipError_t))

// For sources of this folder: includes ROCm.
namespace Koinon::Impl {

/// Is the runtime as Koinon knows it.
struct HipRuntime {
#define KOINON_HIP_MEMBER(name, ...) std::add_pointer_t<__VA_ARGS__> name = nullptr;
  KOINON_HIP_FUNCTIONS(KOINON_HIP_MEMBER)
#undef KOINON_HIP_MEMBER
};

/// Returns the runtime: that of the process if it has one, else loaded at the first call, of the headers' major version.
/// Programs start, and link, without one. Throws ResourceError that says what is missing.
KOINON_EXPORT HipRuntime const& hip_runtime();

/// For tests: from now on hip_runtime() returns that one; null: the real one again.
KOINON_EXPORT void replace_hip_runtime(HipRuntime const* runtime) noexcept;

/// Throws ResourceError with the step and the runtime's name of the error, unless there is none.
KOINON_EXPORT void check(HipRuntime const& runtime, hipError_t result, std::string const& step);

/// Makes a device the calling thread's for its lifetime. Throws ResourceError.
class OnHipDevice {
 public:
  OnHipDevice(HipRuntime const& runtime, int device) : m_runtime(runtime) {
    check(runtime, runtime.hipGetDevice(&m_before), "Koinon: asking for the current device");
    if (device == m_before) return;
    check(runtime, runtime.hipSetDevice(device), "Koinon: setting the current device");
    m_restore = true;
  }
  OnHipDevice(OnHipDevice const&) = delete;
  OnHipDevice& operator=(OnHipDevice const&) = delete;
  ~OnHipDevice() {
    if (m_restore) (void)m_runtime.hipSetDevice(m_before);
  }

 private:
  HipRuntime const& m_runtime;
  int m_before = 0;
  bool m_restore = false;
};

/// Makes a device the calling thread's for its lifetime, and lets it call what another thread's global-mode capture
/// would forbid: nothing that is done with memory belongs to a capture.
class KOINON_EXPORT HipCurrent {
 public:
  /// Throws ResourceError.
  HipCurrent(HipRuntime const& runtime, HipPlace const& place);
  /// Does not throw; `ok()` says whether the device is current.
  HipCurrent(HipRuntime const& runtime, HipPlace const& place, std::nothrow_t) noexcept;
  HipCurrent(HipCurrent const&) = delete;
  HipCurrent& operator=(HipCurrent const&) = delete;
  ~HipCurrent();
  [[nodiscard]] bool ok() const { return m_result == hipSuccess; }

 private:
  HipRuntime const& m_runtime;
  hipStreamCaptureMode m_mode = hipStreamCaptureModeRelaxed;
  hipError_t m_result;
  int m_before = 0;
  bool m_restore = false;
};

}  // namespace Koinon::Impl
