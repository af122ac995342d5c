// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Error.hpp>

#include <cuda_runtime_api.h>

#include <string>

// For sources of this folder: includes the toolkit.
namespace Koinon::Impl {

/// Throws ResourceError with the step and the runtime's name of the error, unless there is none.
inline void require_cuda(cudaError_t error, char const* step) {
  if (error == cudaSuccess) return;
  (void)cudaGetLastError();  // told here, not by the user's next call
  throw ResourceError(std::string("Koinon: ") + step + ": " + cudaGetErrorName(error) + ", " +
                      cudaGetErrorString(error));
}

/// Makes a device the calling thread's for its lifetime.
class OnCudaDevice {
 public:
  explicit OnCudaDevice(int device) {
    require_cuda(cudaGetDevice(&m_before), "asking for the current device");
    if (device == m_before) return;
    require_cuda(cudaSetDevice(device), "setting the current device");
    m_restore = true;
  }
  ~OnCudaDevice() {
    if (m_restore) (void)cudaSetDevice(m_before);
  }
  OnCudaDevice(OnCudaDevice const&) = delete;
  OnCudaDevice& operator=(OnCudaDevice const&) = delete;

 private:
  int m_before = 0;
  bool m_restore = false;
};

}  // namespace Koinon::Impl
