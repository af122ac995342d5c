// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaDriver.hpp>
#include <Koinon_CudaLaunched.hpp>

namespace Koinon::Impl {

CudaLaunched::CudaLaunched(CudaDriver const& driver, CudaPlace const& place) : m_driver(driver), m_place(place) {}

CudaLaunched::~CudaLaunched() = default;

char const* CudaLaunched::refusal_of(CudaInstance const& instance) {
  if (instance.context != m_place.context) return "it is of another device than the communicator's";
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t id = 0;
  if (m_driver.cuStreamGetCaptureInfo(instance.stream, &status, &id) != CUDA_SUCCESS) {
    return "the driver refuses to tell whether its stream is being captured";
  }
  if (status == CU_STREAM_CAPTURE_STATUS_INVALIDATED) return "the capture of its stream has failed";
  m_now = {instance.stream, status == CU_STREAM_CAPTURE_STATUS_ACTIVE ? id : 0};
  return nullptr;
}

}  // namespace Koinon::Impl
