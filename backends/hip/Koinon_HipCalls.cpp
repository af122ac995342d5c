// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Error.hpp>
#include <Koinon_HipCalls.hpp>

#include <cstring>

namespace Koinon::Impl {

namespace {

hipStream_t stream_of(void* stream) {
  return static_cast<hipStream_t>(stream);
}
hipEvent_t event_of(void* event) {
  return static_cast<hipEvent_t>(event);
}

}  // namespace

std::uint64_t HipCalls::ticks_of(std::chrono::nanoseconds time) const {
  int kilohertz = 0;
  check(m_runtime, m_runtime.hipDeviceGetAttribute(&kilohertz, hipDeviceAttributeWallClockRate, m_place.device),
        "asking for the rate of the wall clock (hipDeviceGetAttribute)");
  if (kilohertz <= 0) throw ResourceError("the device has no wall clock: waits would have no end");
  // By halves, so that years fit; rounded up, since zero would be never.
  auto const nanoseconds = static_cast<std::uint64_t>(time.count());
  auto const rate = static_cast<std::uint64_t>(kilohertz);
  constexpr std::uint64_t million = 1'000'000;
  return nanoseconds / million * rate + (nanoseconds % million * rate + million - 1) / million;
}

void* HipCalls::make_stream() const {
  HipCurrent const current(m_runtime, m_place);
  hipStream_t stream = nullptr;
  check(m_runtime, m_runtime.hipStreamCreateWithFlags(&stream, hipStreamNonBlocking),
        "making a stream (hipStreamCreateWithFlags)");
  return stream;
}

void HipCalls::destroy_stream(void* stream) const noexcept {
  HipCurrent const current(m_runtime, m_place, std::nothrow);
  if (current.ok()) (void)m_runtime.hipStreamDestroy(stream_of(stream));
}

void HipCalls::finish(void* stream, hipError_t enqueued, char const* step) const {
  check(m_runtime, enqueued, step);
  check(m_runtime, m_runtime.hipStreamSynchronize(stream_of(stream)), step);
}

void HipCalls::fill_zero(void* stream, void* at, std::size_t bytes) const {
  HipCurrent const current(m_runtime, m_place);
  finish(stream, m_runtime.hipMemsetAsync(at, 0, bytes, stream_of(stream)), "zeroing device memory (hipMemsetAsync)");
}

void HipCalls::fill_words(void* stream, void* at, std::uint32_t value, std::size_t words) const {
  HipCurrent const current(m_runtime, m_place);
  finish(stream, m_runtime.hipMemsetD32Async(at, static_cast<int>(value), words, stream_of(stream)),
         "filling device memory (hipMemsetD32Async)");
}

void HipCalls::write(void* stream, void* at, void const* host, std::size_t bytes) const {
  HipCurrent const current(m_runtime, m_place);
  finish(stream, m_runtime.hipMemcpyAsync(at, host, bytes, hipMemcpyHostToDevice, stream_of(stream)),
         "writing device memory (hipMemcpyAsync)");
}

void HipCalls::read(void* stream, void const* at, void* host, std::size_t bytes) const {
  HipCurrent const current(m_runtime, m_place);
  finish(stream, m_runtime.hipMemcpyAsync(host, at, bytes, hipMemcpyDeviceToHost, stream_of(stream)),
         "reading device memory (hipMemcpyAsync)");
}

DeviceCapture HipCalls::capture_of(void* stream) const noexcept {
  using State = DeviceCapture::State;
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  unsigned long long id = 0;
  if (m_runtime.hipStreamGetCaptureInfo(stream_of(stream), &status, &id) != hipSuccess) {
    (void)m_runtime.hipGetLastError();  // the call is refused for it, and no later one of the user
    return {State::unknown};
  }
  if (status == hipStreamCaptureStatusActive) return {State::active, id};
  return {status == hipStreamCaptureStatusNone ? State::none : State::failed};
}

void* HipCalls::make_event() const {
  HipCurrent const current(m_runtime, m_place);
  hipEvent_t event = nullptr;
  check(m_runtime, m_runtime.hipEventCreateWithFlags(&event, hipEventDisableTiming),
        "making an event (hipEventCreateWithFlags)");
  return event;
}

void HipCalls::destroy_event(void* event) const noexcept {
  HipCurrent const current(m_runtime, m_place, std::nothrow);
  if (current.ok()) (void)m_runtime.hipEventDestroy(event_of(event));
}

void HipCalls::wait_for(void* stream, void* event, void* before) const {
  HipCurrent const current(m_runtime, m_place);  // the default stream is that of the device
  check(m_runtime, m_runtime.hipEventRecord(event_of(event), stream_of(before)),
        "marking the end of the last call (hipEventRecord)");
  check(m_runtime, m_runtime.hipStreamWaitEvent(stream_of(stream), event_of(event), 0),
        "waiting for the last call on another instance (hipStreamWaitEvent)");
}

PinnedMemory HipCalls::make_pinned(std::size_t bytes) const {
  HipCurrent const current(m_runtime, m_place);
  PinnedMemory made;
  // Coherent whatever HIP_HOST_COHERENT says: kernels and hosts see each other's words while both run.
  check(m_runtime,
        m_runtime.hipHostMalloc(&made.host, bytes, hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent),
        "allocating pinned memory (hipHostMalloc)");
  void* on_device = nullptr;
  hipError_t const result = m_runtime.hipHostGetDevicePointer(&on_device, made.host, 0);
  if (result != hipSuccess) {
    (void)m_runtime.hipHostFree(made.host);
    check(m_runtime, result, "finding pinned memory on the device (hipHostGetDevicePointer)");
  }
  made.on_device = static_cast<std::byte*>(on_device);
  return made;
}

void HipCalls::free_pinned(void* host) const noexcept {
  HipCurrent const current(m_runtime, m_place, std::nothrow);
  if (current.ok()) (void)m_runtime.hipHostFree(host);
}

std::byte* HipCalls::register_pages(void* pages, std::size_t bytes) const noexcept {
  HipCurrent const current(m_runtime, m_place, std::nothrow);
  if (!current.ok()) return nullptr;
  void* on_device = nullptr;
  if (m_runtime.hipHostRegister(pages, bytes, hipHostRegisterPortable | hipHostRegisterMapped) == hipSuccess) {
    if (m_runtime.hipHostGetDevicePointer(&on_device, pages, 0) == hipSuccess) return static_cast<std::byte*>(on_device);
    (void)m_runtime.hipHostUnregister(pages);
  }
  (void)m_runtime.hipGetLastError();  // it can be done without: no error of the user's next call
  return nullptr;
}

void HipCalls::unregister_pages(void* pages) const noexcept {
  HipCurrent const current(m_runtime, m_place, std::nothrow);
  if (current.ok()) (void)m_runtime.hipHostUnregister(pages);
}

std::byte* HipCalls::allocate(std::size_t bytes) const {
  HipCurrent const current(m_runtime, m_place);
  void* at = nullptr;
  // Cached memory shows a peer's stores, and its own to peers, at the ends of kernels only.
  check(m_runtime, m_runtime.hipExtMallocWithFlags(&at, bytes, hipDeviceMallocUncached),
        "allocating " + std::to_string(bytes) + " uncached bytes (hipExtMallocWithFlags)");
  return static_cast<std::byte*>(at);
}

void HipCalls::free(std::byte* at) const noexcept {
  HipCurrent const current(m_runtime, m_place, std::nothrow);
  if (current.ok()) (void)m_runtime.hipFree(at);
}

DeviceIpcHandle HipCalls::handle_of(std::byte* at) const {
  HipCurrent const current(m_runtime, m_place);
  hipIpcMemHandle_t handle{};
  static_assert(sizeof handle == sizeof(DeviceIpcHandle));
  check(m_runtime, m_runtime.hipIpcGetMemHandle(&handle, at), "exporting device memory (hipIpcGetMemHandle)");
  DeviceIpcHandle made;
  std::memcpy(made.bytes.data(), &handle, sizeof handle);
  return made;
}

std::byte* HipCalls::open(DeviceIpcHandle const& handle, int owner) const {
  HipCurrent const current(m_runtime, m_place);
  hipIpcMemHandle_t theirs{};
  std::memcpy(&theirs, handle.bytes.data(), sizeof theirs);
  void* at = nullptr;
  check(m_runtime, m_runtime.hipIpcOpenMemHandle(&at, theirs, hipIpcMemLazyEnablePeerAccess),
        "mapping the memory of rank " + std::to_string(owner) + " (hipIpcOpenMemHandle)");
  return static_cast<std::byte*>(at);
}

void HipCalls::close(std::byte* at) const noexcept {
  HipCurrent const current(m_runtime, m_place, std::nothrow);
  if (current.ok()) (void)m_runtime.hipIpcCloseMemHandle(at);
}

}  // namespace Koinon::Impl
