// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_DeviceCalls.hpp>
#include <Koinon_HipRuntime.hpp>

namespace Koinon::Impl {

/// Is what HIP's runtime does for the memory of a communicator, on one device.
class KOINON_EXPORT HipCalls final : public DeviceCalls {
 public:
  HipCalls(HipRuntime const& runtime, HipPlace const& place) : m_runtime(runtime), m_place(place) {}

  [[nodiscard]] std::uint64_t ticks_of(std::chrono::nanoseconds time) const override;
  [[nodiscard]] void* make_stream() const override;
  void destroy_stream(void* stream) const noexcept override;
  void fill_zero(void* stream, void* at, std::size_t bytes) const override;
  void fill_words(void* stream, void* at, std::uint32_t value, std::size_t words) const override;
  void write(void* stream, void* at, void const* host, std::size_t bytes) const override;
  void read(void* stream, void const* at, void* host, std::size_t bytes) const override;
  [[nodiscard]] DeviceCapture capture_of(void* stream) const noexcept override;
  [[nodiscard]] void* make_event() const override;
  void destroy_event(void* event) const noexcept override;
  void wait_for(void* stream, void* event, void* before) const override;
  [[nodiscard]] PinnedMemory make_pinned(std::size_t bytes) const override;
  void free_pinned(void* host) const noexcept override;
  [[nodiscard]] std::byte* register_pages(void* pages, std::size_t bytes) const noexcept override;
  void unregister_pages(void* pages) const noexcept override;
  [[nodiscard]] std::byte* allocate(std::size_t bytes) const override;
  void free(std::byte* at) const noexcept override;
  [[nodiscard]] DeviceIpcHandle handle_of(std::byte* at) const override;
  [[nodiscard]] std::byte* open(DeviceIpcHandle const& handle, int owner) const override;
  void close(std::byte* at) const noexcept override;

 private:
  void finish(void* stream, hipError_t enqueued, char const* step) const;

  HipRuntime const& m_runtime;
  HipPlace m_place;
};

}  // namespace Koinon::Impl
