// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaDriver.hpp>
#include <Koinon_DeviceCalls.hpp>

namespace Koinon::Impl {

/// Is what CUDA's driver does for the memory of a communicator, in one context.
class KOINON_EXPORT CudaCalls final : public DeviceCalls {
 public:
  CudaCalls(CudaDriver const& driver, CudaPlace const& place) : m_driver(driver), m_place(place) {}

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
  void finish(void* stream, CUresult enqueued, char const* step) const;

  CudaDriver const& m_driver;
  CudaPlace m_place;
};

}  // namespace Koinon::Impl
