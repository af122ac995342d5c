// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaLaunched.hpp>

namespace Koinon::Impl {

CudaLaunched::CudaLaunched(CudaDriver const& driver, CudaPlace const& place) : m_driver(driver), m_place(place) {
  CudaCurrent const current(driver, place);
  check(driver, driver.cuEventCreate(&m_event, CU_EVENT_DISABLE_TIMING), "making an event (cuEventCreate)");
}

CudaLaunched::~CudaLaunched() {
  if (!m_here) return;
  CudaCurrent const current(m_driver, m_place, std::nothrow);
  if (current.ok()) m_driver.cuEventDestroy(m_event);  // else it went with its context
}

char const* CudaLaunched::refusal_of(CudaInstance const& instance) {
  if (instance.context != m_place.context) return "it is of another device than the communicator's";
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t id = 0;
  if (m_driver.cuStreamGetCaptureInfo(instance.stream, &status, &id) != CUDA_SUCCESS) {
    return "the driver refuses to tell whether its stream is being captured";
  }
  if (status == CU_STREAM_CAPTURE_STATUS_INVALIDATED) return "the capture of its stream has failed";
  Where const now{instance.stream, status == CU_STREAM_CAPTURE_STATUS_ACTIVE ? id : 0, true};
  // The common case asks no other stream: the last call was made on this one, in the same capture or in none.
  bool const same = m_last.known && m_last.stream == now.stream && m_last.capture == now.capture;
  if (!same && m_last.known) {
    // What was captured before is over, unless that stream is in the same capture still.
    if (m_last.capture != 0 && m_last.capture != now.capture && is_in_capture(m_last)) {
      return "the last call is in a capture that has not ended, and this instance is not in it: make both calls in one "
             "capture, or this one after its end";
    }
    // An event cannot lead from a stream that somebody captures now to one outside.
    if (now.capture == 0 && m_eager.known && m_eager.stream != now.stream && is_captured(m_eager.stream)) {
      return "the stream of the last call is being captured, and this instance is not: make both calls in one capture, "
             "or this one after its end";
    }
  }
  m_now = now;
  return nullptr;
}

bool CudaLaunched::is_in_capture(Where const& where) const {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t id = 0;
  return m_driver.cuStreamGetCaptureInfo(where.stream, &status, &id) == CUDA_SUCCESS &&
         status == CU_STREAM_CAPTURE_STATUS_ACTIVE && id == where.capture;
}

bool CudaLaunched::is_captured(CUstream_st* stream) const {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t id = 0;
  return m_driver.cuStreamGetCaptureInfo(stream, &status, &id) == CUDA_SUCCESS &&
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void CudaLaunched::wait_for(Where const& before) {
  // One event will do: a wait takes what was recorded last when it is enqueued.
  CudaCurrent const current(m_driver, m_place);  // the default stream is that of the context
  check(m_driver, m_driver.cuEventRecord(m_event, before.stream), "marking the end of the last call (cuEventRecord)");
  check(m_driver, m_driver.cuStreamWaitEvent(m_now.stream, m_event, 0),
        "waiting for the last call on another instance (cuStreamWaitEvent)");
}

}  // namespace Koinon::Impl
