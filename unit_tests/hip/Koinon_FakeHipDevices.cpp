// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hip/Koinon_FakeHipCalls.hpp>

namespace Koinon::Testing {

/// Devices, and what runs on streams.
struct FakeHipDevices {
  static hipError_t get_device(int* gpu) {
    KOINON_FAKE_HIP("hipGetDevice", true, false)
    *gpu = current_gpu;
    return hipSuccess;
  }
  static hipError_t set_device(int gpu) {
    KOINON_FAKE_HIP("hipSetDevice", gpu != 0, false)  // back to the first: an end
    if (!f.is_gpu(gpu)) return f.refuse("no GPU is made current", hipErrorInvalidDevice);
    current_gpu = gpu;
    return hipSuccess;
  }
  static hipError_t get_attribute(int* value, hipDeviceAttribute_t attribute, int gpu) {
    KOINON_FAKE_HIP("hipDeviceGetAttribute", true, false)
    if (!f.is_gpu(gpu)) return f.refuse("an attribute of no GPU", hipErrorInvalidDevice);
    FakeHipGpu const& g = f.m_gpus[static_cast<std::size_t>(gpu)];
    if (attribute == hipDeviceAttributePageableMemoryAccess) {
      *value = g.pageable;
    } else if (attribute == hipDeviceAttributeWallClockRate) {
      *value = g.clock_kilohertz;
    } else {
      return f.refuse("an attribute that the fake does not know");
    }
    return hipSuccess;
  }
  static hipError_t get_bus_id(char* text, int length, int gpu) {
    KOINON_FAKE_HIP("hipDeviceGetPCIBusId", true, false)
    std::string const id = FakeHipRuntime::bus_id(gpu);
    if (!f.is_gpu(gpu) || length < static_cast<int>(id.size()) + 1) return f.refuse("a bus id of no GPU, or no room");
    id.copy(text, id.size());
    text[id.size()] = '\0';
    return hipSuccess;
  }
  static hipError_t get_by_bus_id(int* gpu, char const* text) {
    KOINON_FAKE_HIP("hipDeviceGetByPCIBusId", true, false)
    for (int g = 0; f.is_gpu(g); ++g) {
      if (FakeHipRuntime::bus_id(g) != text) continue;
      *gpu = g;
      return hipSuccess;
    }
    return hipErrorInvalidDevice;
  }
  static hipError_t can_access_peer(int* can, int gpu, int peer) {
    KOINON_FAKE_HIP("hipDeviceCanAccessPeer", true, false)
    if (!f.is_gpu(gpu) || !f.is_gpu(peer)) return f.refuse("peer access of no GPU", hipErrorInvalidDevice);
    if (gpu == peer) return f.refuse("peer access of a GPU to itself");
    *can = !f.m_gpus[static_cast<std::size_t>(gpu)].unreachable.contains(peer);
    return hipSuccess;
  }
  static hipError_t enable_peer(int peer, unsigned flags) {
    KOINON_FAKE_HIP("hipDeviceEnablePeerAccess", true, false)
    if (!f.is_gpu(peer) || peer == current_gpu || flags != 0) return f.refuse("peer access to no other GPU, or flags");
    if (f.m_gpus[static_cast<std::size_t>(current_gpu)].unreachable.contains(peer)) {
      return f.refuse("peer access to a GPU out of reach", hipErrorInvalidDevice);
    }
    return f.m_access.insert({current_gpu, peer}).second ? hipSuccess : hipErrorPeerAccessAlreadyEnabled;
  }
  static hipError_t exchange_mode(hipStreamCaptureMode* mode) {
    KOINON_FAKE_HIP("hipThreadExchangeStreamCaptureMode", false, false)
    std::swap(*mode, hip_capture_mode);
    return hipSuccess;
  }

  static hipError_t stream_create(hipStream_t* stream, unsigned flags) {
    KOINON_FAKE_HIP("hipStreamCreateWithFlags", true, true)
    if (flags != hipStreamNonBlocking) return f.refuse("a stream that waits for the null stream");
    *stream = reinterpret_cast<hipStream_t>(f.m_next_handle++);
    f.m_streams[*stream] = current_gpu;
    return hipSuccess;
  }
  static hipError_t stream_destroy(hipStream_t stream) {
    KOINON_FAKE_HIP("hipStreamDestroy", false, true)
    return f.m_streams.erase(stream) == 1 ? hipSuccess : f.refuse("a stream that does not exist is destroyed");
  }
  static hipError_t stream_synchronize(hipStream_t stream) {
    KOINON_FAKE_HIP("hipStreamSynchronize", true, false)
    return f.m_streams.contains(stream) ? hipSuccess : f.refuse("a stream that does not exist, or the null stream");
  }
  static std::uint64_t capture_of(FakeHipRuntime const& f, hipStream_t stream) {
    auto const found = f.m_captures.find(stream);
    return found == f.m_captures.end() ? 0 : found->second;
  }
  static hipError_t capture_info(hipStream_t stream, hipStreamCaptureStatus* status, unsigned long long* id) {
    KOINON_FAKE_HIP("hipStreamGetCaptureInfo", true, false)
    *id = capture_of(f, stream);
    *status = *id == 0                                ? hipStreamCaptureStatusNone
              : *id == FakeHipRuntime::failed_capture ? hipStreamCaptureStatusInvalidated
                                                      : hipStreamCaptureStatusActive;
    return hipSuccess;
  }
  static hipError_t event_create(hipEvent_t* event, unsigned flags) {
    KOINON_FAKE_HIP("hipEventCreateWithFlags", true, false)
    if (flags != hipEventDisableTiming) return f.refuse("an event that takes the time");
    *event = reinterpret_cast<hipEvent_t>(f.m_next_handle++);
    f.m_events[*event] = {};
    return hipSuccess;
  }
  static hipError_t event_destroy(hipEvent_t event) {
    KOINON_FAKE_HIP("hipEventDestroy", false, false)
    return f.m_events.erase(event) == 1 ? hipSuccess : f.refuse("an event that does not exist is destroyed");
  }
  static hipError_t event_record(hipEvent_t event, hipStream_t stream) {
    KOINON_FAKE_HIP("hipEventRecord", true, false)
    if (!f.m_events.contains(event)) return f.refuse("an event that does not exist is recorded");
    f.m_events[event] = {stream, capture_of(f, stream), true};
    return hipSuccess;
  }
  static hipError_t stream_wait(hipStream_t stream, hipEvent_t event, unsigned flags) {
    KOINON_FAKE_HIP("hipStreamWaitEvent", true, false)
    auto const found = f.m_events.find(event);
    if (found == f.m_events.end() || !found->second.recorded || flags != 0) return f.refuse("a wait for no event");
    if (found->second.capture != capture_of(f, stream)) {
      return f.refuse("a wait that leads into a capture, out of one, or into another", hipErrorStreamCaptureIsolation);
    }
    f.m_waits.emplace_back(stream, found->second.recorded_on);
    return hipSuccess;
  }

  static hipError_t get_last_error() { return std::exchange(last_error, hipSuccess); }
  static char const* error_name(hipError_t error) {
    return error == hipErrorOutOfMemory    ? "hipErrorOutOfMemory"
           : error == hipErrorNotSupported ? "hipErrorNotSupported"
           : error == hipErrorInvalidValue ? "hipErrorInvalidValue"
                                           : nullptr;
  }
};

void FakeHipRuntime::fill_devices() {
  m_table.hipGetDevice = Noted<FakeHipDevices::get_device>::call;
  m_table.hipSetDevice = Noted<FakeHipDevices::set_device>::call;
  m_table.hipDeviceGetAttribute = Noted<FakeHipDevices::get_attribute>::call;
  m_table.hipDeviceGetPCIBusId = Noted<FakeHipDevices::get_bus_id>::call;
  m_table.hipDeviceGetByPCIBusId = Noted<FakeHipDevices::get_by_bus_id>::call;
  m_table.hipDeviceCanAccessPeer = Noted<FakeHipDevices::can_access_peer>::call;
  m_table.hipDeviceEnablePeerAccess = Noted<FakeHipDevices::enable_peer>::call;
  m_table.hipThreadExchangeStreamCaptureMode = Noted<FakeHipDevices::exchange_mode>::call;
  m_table.hipStreamCreateWithFlags = Noted<FakeHipDevices::stream_create>::call;
  m_table.hipStreamDestroy = Noted<FakeHipDevices::stream_destroy>::call;
  m_table.hipStreamSynchronize = Noted<FakeHipDevices::stream_synchronize>::call;
  m_table.hipStreamGetCaptureInfo = Noted<FakeHipDevices::capture_info>::call;
  m_table.hipStreamWaitEvent = Noted<FakeHipDevices::stream_wait>::call;
  m_table.hipEventCreateWithFlags = Noted<FakeHipDevices::event_create>::call;
  m_table.hipEventDestroy = Noted<FakeHipDevices::event_destroy>::call;
  m_table.hipEventRecord = Noted<FakeHipDevices::event_record>::call;
  m_table.hipGetLastError = FakeHipDevices::get_last_error;
  m_table.hipGetErrorName = FakeHipDevices::error_name;
}

}  // namespace Koinon::Testing
