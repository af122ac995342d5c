// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaPlace.hpp>
#include <Koinon_Export.hpp>
#include <communicator/Koinon_Environment.hpp>

#include <cuda.h>
#include <cudaTypedefs.h>
#include <new>
#include <optional>
#include <span>
#include <string>

// The functions of the driver that Koinon calls, with the version of their interface, which is that of their types in
// <cudaTypedefs.h>: the same for every toolkit.
#define KOINON_CUDA_DRIVER_FUNCTIONS(F)       \
  F(cuDeviceGetAttribute, 2000)               \
  F(cuDeviceGetByPCIBusId, 4010)              \
  F(cuDeviceGetPCIBusId, 4010)                \
  F(cuDeviceCanAccessPeer, 4000)              \
  F(cuCtxGetCurrent, 4000)                    \
  F(cuCtxPushCurrent, 4000)                   \
  F(cuCtxPopCurrent, 4000)                    \
  F(cuThreadExchangeStreamCaptureMode, 10010) \
  F(cuStreamCreate, 2000)                     \
  F(cuStreamDestroy, 4000)                    \
  F(cuStreamSynchronize, 2000)                \
  F(cuStreamGetCaptureInfo, 10010)            \
  F(cuStreamWaitEvent, 3020)                  \
  F(cuEventCreate, 2000)                      \
  F(cuEventDestroy, 4000)                     \
  F(cuEventRecord, 2000)                      \
  F(cuMemAlloc, 3020)                         \
  F(cuMemFree, 3020)                          \
  F(cuMemHostAlloc, 2020)                     \
  F(cuMemFreeHost, 2000)                      \
  F(cuMemHostGetDevicePointer, 3020)          \
  F(cuMemHostRegister, 6050)                  \
  F(cuMemHostUnregister, 4000)                \
  F(cuMemsetD8Async, 3020)                    \
  F(cuMemsetD32Async, 3020)                   \
  F(cuMemcpyHtoDAsync, 3020)                  \
  F(cuMemcpyDtoHAsync, 3020)                  \
  F(cuMemGetAllocationGranularity, 10020)     \
  F(cuMemCreate, 10020)                       \
  F(cuMemRelease, 10020)                      \
  F(cuMemExportToShareableHandle, 10020)      \
  F(cuMemImportFromShareableHandle, 10020)    \
  F(cuMemAddressReserve, 10020)               \
  F(cuMemAddressFree, 10020)                  \
  F(cuMemMap, 10020)                          \
  F(cuMemUnmap, 10020)                        \
  F(cuMemSetAccess, 10020)                    \
  F(cuIpcGetMemHandle, 4010)                  \
  F(cuIpcOpenMemHandle, 11000)                \
  F(cuIpcCloseMemHandle, 4010)                \
  F(cuPointerGetAttributes, 7000)             \
  F(cuGetErrorName, 6000)

#define KOINON_CUDA_MULTICAST_FUNCTIONS(F) \
  F(cuMulticastGetGranularity, 12010)      \
  F(cuMulticastCreate, 12010)              \
  F(cuMulticastAddDevice, 12010)           \
  F(cuMulticastBindMem, 12010)             \
  F(cuMulticastUnbind, 12010)

namespace Koinon::Impl {

#define KOINON_CUDA_MEMBER(name, version) PFN_##name##_v##version name = nullptr;

/// Is the driver as Koinon knows it. Has none of the multicast functions: those are asked for by allowed_multicast.
struct CudaDriver {
  KOINON_CUDA_DRIVER_FUNCTIONS(KOINON_CUDA_MEMBER)
  /// Finds a function by name and version of its interface.
  CUresult (*find)(char const* name, int version, void** function) = nullptr;
};

/// Is the multicast part of the driver.
struct CudaMulticastDriver {
  KOINON_CUDA_MULTICAST_FUNCTIONS(KOINON_CUDA_MEMBER)
};

#undef KOINON_CUDA_MEMBER

/// Returns the driver, loaded and initialised at the first call; programs start, and link, without one. Throws
/// ResourceError that says what is missing.
KOINON_EXPORT CudaDriver const& cuda_driver();

/// For tests: from now on cuda_driver() returns that one; null: the real one again.
KOINON_EXPORT void replace_cuda_driver(CudaDriver const* driver) noexcept;

/// Multicast objects are made over that many different GPUs or more, else not at all.
inline constexpr int least_multicast_gpus = 3;

/// Gives the multicast functions. The only way to them: returns none, with the reason, and has asked the driver for
/// nothing, if the agreed environment says off or the ranks' GPUs (one bus id a rank) are too few different ones.
KOINON_EXPORT std::optional<CudaMulticastDriver> allowed_multicast(CudaDriver const& driver,
                                                                   Environment const& environment,
                                                                   std::span<std::string const> gpus,
                                                                   std::string& refusal);

/// Throws ResourceError with the step and the driver's name of the error, unless there is none.
KOINON_EXPORT void check(CudaDriver const& driver, CUresult result, std::string const& step);

/// Lets this thread call for its lifetime what another thread's global-mode capture would forbid: nothing that is done
/// with memory belongs to a capture.
class CudaOutsideCaptures {
 public:
  explicit CudaOutsideCaptures(CudaDriver const& driver) noexcept : m_driver(driver) {
    m_driver.cuThreadExchangeStreamCaptureMode(&m_mode);
  }
  CudaOutsideCaptures(CudaOutsideCaptures const&) = delete;
  CudaOutsideCaptures& operator=(CudaOutsideCaptures const&) = delete;
  ~CudaOutsideCaptures() { m_driver.cuThreadExchangeStreamCaptureMode(&m_mode); }

 private:
  CudaDriver const& m_driver;
  CUstreamCaptureMode m_mode = CU_STREAM_CAPTURE_MODE_RELAXED;
};

/// Makes a context current for its lifetime, outside captures.
class KOINON_EXPORT CudaCurrent {
 public:
  /// Throws ResourceError.
  CudaCurrent(CudaDriver const& driver, CudaPlace const& place);
  /// Does not throw; `ok()` says whether the context is current: it may be gone already.
  CudaCurrent(CudaDriver const& driver, CudaPlace const& place, std::nothrow_t) noexcept;
  CudaCurrent(CudaCurrent const&) = delete;
  CudaCurrent& operator=(CudaCurrent const&) = delete;
  ~CudaCurrent();
  [[nodiscard]] bool ok() const { return m_result == CUDA_SUCCESS; }

 private:
  CudaDriver const& m_driver;
  CudaOutsideCaptures m_outside;
  CUresult m_result;
};

}  // namespace Koinon::Impl
