// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaCalls.hpp>

#include <cstring>

namespace Koinon::Impl {

namespace {

CUdeviceptr address_of(void const* p) {
  return reinterpret_cast<CUdeviceptr>(p);
}
CUstream stream_of(void* stream) {
  return static_cast<CUstream>(stream);
}

}  // namespace

std::uint64_t CudaCalls::ticks_of(std::chrono::nanoseconds time) const {
  return static_cast<std::uint64_t>(time.count());
}

void* CudaCalls::make_stream() const {
  CudaCurrent const current(m_driver, m_place);
  CUstream stream = nullptr;
  check(m_driver, m_driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "making a stream (cuStreamCreate)");
  return stream;
}

void CudaCalls::destroy_stream(void* stream) const noexcept {
  CudaCurrent const current(m_driver, m_place, std::nothrow);
  if (current.ok()) m_driver.cuStreamDestroy(stream_of(stream));  // else it went with its context
}

void CudaCalls::finish(void* stream, CUresult enqueued, char const* step) const {
  check(m_driver, enqueued, step);
  check(m_driver, m_driver.cuStreamSynchronize(stream_of(stream)), step);
}

void CudaCalls::fill_zero(void* stream, void* at, std::size_t bytes) const {
  CudaCurrent const current(m_driver, m_place);
  finish(stream, m_driver.cuMemsetD8Async(address_of(at), 0, bytes, stream_of(stream)),
         "zeroing device memory (cuMemsetD8Async)");
}

void CudaCalls::fill_words(void* stream, void* at, std::uint32_t value, std::size_t words) const {
  CudaCurrent const current(m_driver, m_place);
  finish(stream, m_driver.cuMemsetD32Async(address_of(at), value, words, stream_of(stream)),
         "filling device memory (cuMemsetD32Async)");
}

void CudaCalls::write(void* stream, void* at, void const* host, std::size_t bytes) const {
  CudaCurrent const current(m_driver, m_place);
  finish(stream, m_driver.cuMemcpyHtoDAsync(address_of(at), host, bytes, stream_of(stream)),
         "writing device memory (cuMemcpyHtoDAsync)");
}

void CudaCalls::read(void* stream, void const* at, void* host, std::size_t bytes) const {
  CudaCurrent const current(m_driver, m_place);
  finish(stream, m_driver.cuMemcpyDtoHAsync(host, address_of(at), bytes, stream_of(stream)),
         "reading device memory (cuMemcpyDtoHAsync)");
}

DeviceCapture CudaCalls::capture_of(void* stream) const noexcept {
  using State = DeviceCapture::State;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t id = 0;
  if (m_driver.cuStreamGetCaptureInfo(stream_of(stream), &status, &id) != CUDA_SUCCESS) return {State::unknown};
  if (status == CU_STREAM_CAPTURE_STATUS_ACTIVE) return {State::active, id};
  return {status == CU_STREAM_CAPTURE_STATUS_NONE ? State::none : State::failed};
}

void* CudaCalls::make_event() const {
  CudaCurrent const current(m_driver, m_place);
  CUevent event = nullptr;
  check(m_driver, m_driver.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), "making an event (cuEventCreate)");
  return event;
}

void CudaCalls::destroy_event(void* event) const noexcept {
  CudaCurrent const current(m_driver, m_place, std::nothrow);
  if (current.ok()) m_driver.cuEventDestroy(static_cast<CUevent>(event));  // else it went with its context
}

void CudaCalls::wait_for(void* stream, void* event, void* before) const {
  CudaCurrent const current(m_driver, m_place);  // the default stream is that of the context
  check(m_driver, m_driver.cuEventRecord(static_cast<CUevent>(event), stream_of(before)),
        "marking the end of the last call (cuEventRecord)");
  check(m_driver, m_driver.cuStreamWaitEvent(stream_of(stream), static_cast<CUevent>(event), 0),
        "waiting for the last call on another instance (cuStreamWaitEvent)");
}

PinnedMemory CudaCalls::make_pinned(std::size_t bytes) const {
  CudaCurrent const current(m_driver, m_place);
  PinnedMemory made;
  check(m_driver, m_driver.cuMemHostAlloc(&made.host, bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
        "allocating pinned memory (cuMemHostAlloc)");
  CUdeviceptr on_device = 0;
  CUresult const result = m_driver.cuMemHostGetDevicePointer(&on_device, made.host, 0);
  if (result != CUDA_SUCCESS) {
    m_driver.cuMemFreeHost(made.host);
    check(m_driver, result, "finding pinned memory on the device (cuMemHostGetDevicePointer)");
  }
  made.on_device = reinterpret_cast<std::byte*>(on_device);
  return made;
}

void CudaCalls::free_pinned(void* host) const noexcept {
  CudaCurrent const current(m_driver, m_place, std::nothrow);
  if (current.ok()) m_driver.cuMemFreeHost(host);  // else it went with its context
}

std::byte* CudaCalls::register_pages(void* pages, std::size_t bytes) const noexcept {
  CudaCurrent const current(m_driver, m_place, std::nothrow);
  if (!current.ok() || m_driver.cuMemHostRegister(pages, bytes, CU_MEMHOSTREGISTER_PORTABLE |
                                                                    CU_MEMHOSTREGISTER_DEVICEMAP) != CUDA_SUCCESS) {
    return nullptr;
  }
  CUdeviceptr on_device = 0;
  if (m_driver.cuMemHostGetDevicePointer(&on_device, pages, 0) == CUDA_SUCCESS) {
    return reinterpret_cast<std::byte*>(on_device);
  }
  m_driver.cuMemHostUnregister(pages);
  return nullptr;
}

void CudaCalls::unregister_pages(void* pages) const noexcept {
  CudaCurrent const current(m_driver, m_place, std::nothrow);
  if (current.ok()) m_driver.cuMemHostUnregister(pages);
}

std::byte* CudaCalls::allocate(std::size_t bytes) const {
  CudaCurrent const current(m_driver, m_place);
  CUdeviceptr at = 0;
  check(m_driver, m_driver.cuMemAlloc(&at, bytes), "allocating " + std::to_string(bytes) + " bytes (cuMemAlloc)");
  return reinterpret_cast<std::byte*>(at);
}

void CudaCalls::free(std::byte* at) const noexcept {
  CudaCurrent const current(m_driver, m_place, std::nothrow);
  if (current.ok()) m_driver.cuMemFree(address_of(at));  // else the context is gone, and with it the memory
}

DeviceIpcHandle CudaCalls::handle_of(std::byte* at) const {
  CudaCurrent const current(m_driver, m_place);
  CUipcMemHandle handle{};
  static_assert(sizeof handle == sizeof(DeviceIpcHandle));
  check(m_driver, m_driver.cuIpcGetMemHandle(&handle, address_of(at)), "exporting device memory (cuIpcGetMemHandle)");
  DeviceIpcHandle made;
  std::memcpy(made.bytes.data(), &handle, sizeof handle);
  return made;
}

std::byte* CudaCalls::open(DeviceIpcHandle const& handle, int owner) const {
  CudaCurrent const current(m_driver, m_place);
  CUipcMemHandle theirs{};
  std::memcpy(&theirs, handle.bytes.data(), sizeof theirs);
  CUdeviceptr at = 0;
  check(m_driver, m_driver.cuIpcOpenMemHandle(&at, theirs, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
        "mapping the memory of rank " + std::to_string(owner) + " (cuIpcOpenMemHandle)");
  return reinterpret_cast<std::byte*>(at);
}

void CudaCalls::close(std::byte* at) const noexcept {
  CudaCurrent const current(m_driver, m_place, std::nothrow);
  if (current.ok()) m_driver.cuIpcCloseMemHandle(address_of(at));  // if it is gone, so are its mappings
}

}  // namespace Koinon::Impl
