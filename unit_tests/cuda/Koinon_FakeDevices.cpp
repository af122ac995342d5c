// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/Koinon_FakeCalls.hpp>

#include <cstring>

namespace Koinon::Testing {

/// Devices, contexts, streams, and what runs on streams.
struct FakeDevices {
  static CUresult get_attribute(int* value, CUdevice_attribute attribute, CUdevice gpu) {
    KOINON_FAKE("cuDeviceGetAttribute", true, false)
    if (!f.is_gpu(gpu)) return f.refuse("an attribute of no GPU", CUDA_ERROR_INVALID_DEVICE);
    FakeGpu const& g = f.m_gpus[static_cast<std::size_t>(gpu)];
    switch (attribute) {
      case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
        *value = g.maps;
        break;
      case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
        *value = g.descriptors;
        break;
      case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED:
        *value = g.fabric;
        break;
      case CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED:
        *value = g.multicast;
        break;
      case CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS:
        *value = g.pageable;
        break;
      default:
        *value = 0;
    }
    return CUDA_SUCCESS;
  }
  static CUresult get_bus_id(char* text, int length, CUdevice gpu) {
    KOINON_FAKE("cuDeviceGetPCIBusId", true, false)
    std::string const id = FakeDriver::bus_id(gpu);
    if (!f.is_gpu(gpu) || length < static_cast<int>(id.size()) + 1) return f.refuse("a bus id of no GPU, or no room");
    id.copy(text, id.size());
    text[id.size()] = '\0';
    return CUDA_SUCCESS;
  }
  static CUresult get_by_bus_id(CUdevice* gpu, char const* text) {
    KOINON_FAKE("cuDeviceGetByPCIBusId", true, false)
    for (int g = 0; f.is_gpu(g); ++g) {
      if (FakeDriver::bus_id(g) != text) continue;
      *gpu = g;
      return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_DEVICE;
  }
  static CUresult can_access_peer(int* can, CUdevice gpu, CUdevice peer) {
    KOINON_FAKE("cuDeviceCanAccessPeer", true, false)
    if (!f.is_gpu(gpu) || !f.is_gpu(peer)) return f.refuse("peer access of no GPU", CUDA_ERROR_INVALID_DEVICE);
    if (gpu == peer) return f.refuse("peer access of a GPU to itself");
    *can = !f.m_gpus[static_cast<std::size_t>(gpu)].unreachable.contains(peer);
    return CUDA_SUCCESS;
  }

  static CUresult push(CUcontext context) {
    KOINON_FAKE("cuCtxPushCurrent", true, false)
    if (!f.is_gpu(gpu_of(context))) return f.refuse("a push of no context", CUDA_ERROR_INVALID_CONTEXT);
    contexts.push_back(context);
    ++f.m_pushed;
    return CUDA_SUCCESS;
  }
  static CUresult pop(CUcontext* context) {
    KOINON_FAKE("cuCtxPopCurrent", false, false)
    if (contexts.empty()) return f.refuse("a pop without a push", CUDA_ERROR_INVALID_CONTEXT);
    *context = contexts.back();
    contexts.pop_back();
    --f.m_pushed;
    return CUDA_SUCCESS;
  }
  static CUresult exchange_mode(CUstreamCaptureMode* mode) {
    KOINON_FAKE("cuThreadExchangeStreamCaptureMode", false, false)
    std::swap(*mode, capture_mode);
    return CUDA_SUCCESS;
  }

  static CUresult stream_create(CUstream* stream, unsigned flags) {
    KOINON_FAKE("cuStreamCreate", true, true)
    if (f.current_gpu() < 0) return f.refuse("a stream without a context", CUDA_ERROR_INVALID_CONTEXT);
    if (flags != CU_STREAM_NON_BLOCKING) return f.refuse("a stream that waits for the null stream");
    *stream = reinterpret_cast<CUstream>(static_cast<std::uintptr_t>(f.m_next_handle++));
    f.m_streams[*stream] = f.current_gpu();
    return CUDA_SUCCESS;
  }
  static CUresult stream_destroy(CUstream stream) {
    KOINON_FAKE("cuStreamDestroy", false, true)
    return f.m_streams.erase(stream) == 1 ? CUDA_SUCCESS : f.refuse("a stream that does not exist is destroyed");
  }
  static CUresult stream_synchronize(CUstream stream) {
    KOINON_FAKE("cuStreamSynchronize", true, false)
    return f.m_streams.contains(stream) ? CUDA_SUCCESS : f.refuse("a stream that does not exist, or the null stream");
  }
  static std::uint64_t capture_of(FakeDriver const& f, CUstream stream) {
    auto const found = f.m_captures.find(stream);
    return found == f.m_captures.end() ? 0 : found->second;
  }
  static CUresult event_create(CUevent* event, unsigned flags) {
    KOINON_FAKE("cuEventCreate", true, false)
    if (f.current_gpu() < 0) return f.refuse("an event without a context", CUDA_ERROR_INVALID_CONTEXT);
    if (flags != CU_EVENT_DISABLE_TIMING) return f.refuse("an event that takes the time");
    *event = reinterpret_cast<CUevent>(static_cast<std::uintptr_t>(f.m_next_handle++));
    f.m_events[*event] = {};
    return CUDA_SUCCESS;
  }
  static CUresult event_destroy(CUevent event) {
    KOINON_FAKE("cuEventDestroy", false, false)
    return f.m_events.erase(event) == 1 ? CUDA_SUCCESS : f.refuse("an event that does not exist is destroyed");
  }
  static CUresult event_record(CUevent event, CUstream stream) {
    KOINON_FAKE("cuEventRecord", true, false)
    if (!f.m_events.contains(event)) return f.refuse("an event that does not exist is recorded");
    if (stream == nullptr && f.current_gpu() < 0) return f.refuse("the default stream without a context");
    f.m_events[event] = {stream, capture_of(f, stream), true};
    return CUDA_SUCCESS;
  }
  static CUresult stream_wait(CUstream stream, CUevent event, unsigned flags) {
    KOINON_FAKE("cuStreamWaitEvent", true, false)
    auto const found = f.m_events.find(event);
    if (found == f.m_events.end() || !found->second.recorded || flags != 0) return f.refuse("a wait for no event");
    if (found->second.capture != capture_of(f, stream)) {
      return f.refuse("a wait that leads into a capture, out of one, or into another", CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    }
    f.m_waits.emplace_back(stream, found->second.recorded_on);
    return CUDA_SUCCESS;
  }
  static CUresult capture_info(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id) {
    KOINON_FAKE("cuStreamGetCaptureInfo", true, false)
    *id = capture_of(f, stream);
    *status = *id == 0                            ? CU_STREAM_CAPTURE_STATUS_NONE
              : *id == FakeDriver::failed_capture ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                                  : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return CUDA_SUCCESS;
  }
  static CUresult use(FakeDriver& f, CUstream stream, CUdeviceptr at, std::size_t bytes) {
    auto const found = f.m_streams.find(stream);
    if (found == f.m_streams.end()) return f.refuse("work on a stream that does not exist, or on the null stream");
    if (found->second != f.current_gpu()) return f.refuse("work on a stream of another context");
    if (!f.accessible(found->second, at, bytes)) return f.refuse("work on memory that the GPU cannot access");
    return CUDA_SUCCESS;
  }
  static CUresult fill_bytes(CUdeviceptr at, unsigned char value, std::size_t count, CUstream stream) {
    KOINON_FAKE("cuMemsetD8Async", true, false)
    if (CUresult const used = use(f, stream, at, count); used != CUDA_SUCCESS) return used;
    std::memset(pointer(at), value, count);
    return CUDA_SUCCESS;
  }
  static CUresult fill_words(CUdeviceptr at, unsigned value, std::size_t count, CUstream stream) {
    KOINON_FAKE("cuMemsetD32Async", true, false)
    if (at % 4 != 0) return f.refuse("words that are not aligned");
    if (CUresult const used = use(f, stream, at, count * 4); used != CUDA_SUCCESS) return used;
    for (std::size_t i = 0; i < count; ++i) static_cast<unsigned*>(pointer(at))[i] = value;
    return CUDA_SUCCESS;
  }
  static CUresult to_device(CUdeviceptr at, void const* host, std::size_t bytes, CUstream stream) {
    KOINON_FAKE("cuMemcpyHtoDAsync", true, false)
    if (CUresult const used = use(f, stream, at, bytes); used != CUDA_SUCCESS) return used;
    std::memcpy(pointer(at), host, bytes);
    return CUDA_SUCCESS;
  }
  static CUresult to_host(void* host, CUdeviceptr at, std::size_t bytes, CUstream stream) {
    KOINON_FAKE("cuMemcpyDtoHAsync", true, false)
    if (CUresult const used = use(f, stream, at, bytes); used != CUDA_SUCCESS) return used;
    std::memcpy(host, pointer(at), bytes);
    return CUDA_SUCCESS;
  }

  static CUresult error_name(CUresult error, char const** name) {
    switch (error) {
      case CUDA_ERROR_INVALID_VALUE:
        *name = "CUDA_ERROR_INVALID_VALUE";
        return CUDA_SUCCESS;
      case CUDA_ERROR_OUT_OF_MEMORY:
        *name = "CUDA_ERROR_OUT_OF_MEMORY";
        return CUDA_SUCCESS;
      case CUDA_ERROR_NOT_SUPPORTED:
        *name = "CUDA_ERROR_NOT_SUPPORTED";
        return CUDA_SUCCESS;
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
  }
};

void FakeDriver::fill_devices() {
  m_table.cuDeviceGetAttribute = FakeDevices::get_attribute;
  m_table.cuDeviceGetByPCIBusId = FakeDevices::get_by_bus_id;
  m_table.cuDeviceGetPCIBusId = FakeDevices::get_bus_id;
  m_table.cuDeviceCanAccessPeer = FakeDevices::can_access_peer;
  m_table.cuCtxPushCurrent = FakeDevices::push;
  m_table.cuCtxPopCurrent = FakeDevices::pop;
  m_table.cuThreadExchangeStreamCaptureMode = FakeDevices::exchange_mode;
  m_table.cuStreamCreate = FakeDevices::stream_create;
  m_table.cuStreamDestroy = FakeDevices::stream_destroy;
  m_table.cuStreamSynchronize = FakeDevices::stream_synchronize;
  m_table.cuStreamGetCaptureInfo = FakeDevices::capture_info;
  m_table.cuStreamWaitEvent = FakeDevices::stream_wait;
  m_table.cuEventCreate = FakeDevices::event_create;
  m_table.cuEventDestroy = FakeDevices::event_destroy;
  m_table.cuEventRecord = FakeDevices::event_record;
  m_table.cuMemsetD8Async = FakeDevices::fill_bytes;
  m_table.cuMemsetD32Async = FakeDevices::fill_words;
  m_table.cuMemcpyHtoDAsync = FakeDevices::to_device;
  m_table.cuMemcpyDtoHAsync = FakeDevices::to_host;
  m_table.cuGetErrorName = FakeDevices::error_name;
}

}  // namespace Koinon::Testing
