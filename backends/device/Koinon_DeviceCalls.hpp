// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace Koinon::Impl {

/// Says whether a stream is being captured, and in which capture.
struct DeviceCapture {
  enum class State { none, active, failed, unknown };
  State state = State::none;
  std::uint64_t id = 0;  // of an active one
};

/// Is the handle by which another process opens an allocation.
struct DeviceIpcHandle {
  std::array<std::byte, 64> bytes{};
};

/// Is pinned host memory, and where the device finds it.
struct PinnedMemory {
  void* host = nullptr;
  std::byte* on_device = nullptr;
};

/// Is what a vendor's driver does for the memory of one rank's communicator, on one device.
///
/// Every call is made on that device and outside captures, whatever is current and captured in the calling thread. What
/// makes or asks something throws ResourceError with the step and the driver's reason; what ends something does not
/// throw, and does nothing where the device's context is gone. Streams and events are the vendor's handles.
class KOINON_EXPORT DeviceCalls {
 public:
  DeviceCalls() = default;
  DeviceCalls(DeviceCalls const&) = delete;
  DeviceCalls& operator=(DeviceCalls const&) = delete;
  virtual ~DeviceCalls();

  /// Returns a time in ticks of the clock that kernels look at.
  [[nodiscard]] virtual std::uint64_t ticks_of(std::chrono::nanoseconds time) const = 0;

  /// Makes a stream that the null stream does not wait for, nor it for the null stream.
  [[nodiscard]] virtual void* make_stream() const = 0;
  virtual void destroy_stream(void* stream) const noexcept = 0;
  // Each waits until it is done.
  virtual void fill_zero(void* stream, void* at, std::size_t bytes) const = 0;
  virtual void fill_words(void* stream, void* at, std::uint32_t value, std::size_t words) const = 0;
  virtual void write(void* stream, void* at, void const* host, std::size_t bytes) const = 0;
  virtual void read(void* stream, void const* at, void* host, std::size_t bytes) const = 0;

  [[nodiscard]] virtual DeviceCapture capture_of(void* stream) const noexcept = 0;
  /// Makes an event that takes no time.
  [[nodiscard]] virtual void* make_event() const = 0;
  virtual void destroy_event(void* event) const noexcept = 0;
  /// Lets what comes next on `stream` wait for all that is on `before`.
  virtual void wait_for(void* stream, void* event, void* before) const = 0;

  /// Makes host memory that every device of the process can access.
  [[nodiscard]] virtual PinnedMemory make_pinned(std::size_t bytes) const = 0;
  virtual void free_pinned(void* host) const noexcept = 0;
  /// Gives the device whole pages of this process. Returns where it finds them; null: it cannot have them.
  [[nodiscard]] virtual std::byte* register_pages(void* pages, std::size_t bytes) const noexcept = 0;
  virtual void unregister_pages(void* pages) const noexcept = 0;

  /// Makes device memory that peers may be given by a handle.
  [[nodiscard]] virtual std::byte* allocate(std::size_t bytes) const = 0;
  virtual void free(std::byte* at) const noexcept = 0;
  [[nodiscard]] virtual DeviceIpcHandle handle_of(std::byte* at) const = 0;
  /// Maps an allocation of another process, for access by this device's kernels.
  [[nodiscard]] virtual std::byte* open(DeviceIpcHandle const& handle, int owner) const = 0;
  virtual void close(std::byte* at) const noexcept = 0;
};

}  // namespace Koinon::Impl
