// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_DeviceLaunched.hpp>

namespace Koinon::Impl {

DeviceLaunched::DeviceLaunched(DeviceCalls const& calls) : m_calls(calls), m_event(calls.make_event()) {}

DeviceLaunched::~DeviceLaunched() {
  if (m_here) m_calls.destroy_event(m_event);
}

char const* DeviceLaunched::refusal_of(void* stream) {
  DeviceCapture const capture = m_calls.capture_of(stream);
  if (capture.state == DeviceCapture::State::unknown) {
    return "the driver refuses to tell whether its stream is being captured";
  }
  if (capture.state == DeviceCapture::State::failed) return "the capture of its stream has failed";
  Where const now{stream, capture.state == DeviceCapture::State::active ? capture.id : 0, true};
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

bool DeviceLaunched::is_in_capture(Where const& where) const {
  DeviceCapture const capture = m_calls.capture_of(where.stream);
  return capture.state == DeviceCapture::State::active && capture.id == where.capture;
}

bool DeviceLaunched::is_captured(void* stream) const {
  DeviceCapture::State const state = m_calls.capture_of(stream).state;
  return state == DeviceCapture::State::active || state == DeviceCapture::State::failed;
}

}  // namespace Koinon::Impl
