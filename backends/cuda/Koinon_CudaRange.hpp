// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaDriver.hpp>
#include <node/Koinon_MadeHere.hpp>

#include <cstddef>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace Koinon::Impl {

/// Owns a handle of memory, or of a multicast object. What it stands for lives on while it is mapped or bound.
class CudaHandle {
 public:
  CudaHandle() = default;
  CudaHandle(CudaDriver const& driver, CUmemGenericAllocationHandle handle) : m_driver(&driver), m_handle(handle) {}
  CudaHandle(CudaHandle&& other) noexcept
      : m_driver(std::exchange(other.m_driver, nullptr)), m_handle(other.m_handle), m_here(other.m_here) {}
  CudaHandle& operator=(CudaHandle&& other) noexcept;
  ~CudaHandle() { reset(); }

  void reset() noexcept;
  [[nodiscard]] CUmemGenericAllocationHandle get() const { return m_handle; }
  [[nodiscard]] bool valid() const { return m_driver != nullptr; }

 private:
  CudaDriver const* m_driver = nullptr;
  CUmemGenericAllocationHandle m_handle = 0;
  MadeHere m_here;
};

/// Owns a reserved range of addresses and all that is mapped there. Threads may map into it at once.
class CudaRange {
 public:
  /// Reserves addresses. Throws ResourceError. @pre bytes and alignment are multiples of the handles' granularity
  CudaRange(CudaDriver const& driver, std::size_t bytes, std::size_t alignment);
  CudaRange(CudaRange const&) = delete;
  CudaRange& operator=(CudaRange const&) = delete;
  ~CudaRange();

  /// Maps the first `bytes` of a handle at an offset, readable and writable by the devices.
  void map(std::size_t offset, std::size_t bytes, CUmemGenericAllocationHandle handle,
           std::span<CUdevice const> devices);
  [[nodiscard]] std::byte* at() const { return reinterpret_cast<std::byte*>(m_at); }

 private:
  struct Part {
    CUdeviceptr at;
    std::size_t bytes;
  };
  CudaDriver const& m_driver;
  CUdeviceptr m_at = 0;
  std::size_t m_bytes;
  std::mutex m_mutex;
  std::vector<Part> m_parts;
  MadeHere m_here;
};

/// Owns one allocation of a device, with a context in which it is freed.
class CudaAllocation {
 public:
  CudaAllocation(CudaDriver const& driver, CudaPlace const& place, std::size_t bytes);
  CudaAllocation(CudaAllocation const&) = delete;
  CudaAllocation& operator=(CudaAllocation const&) = delete;
  ~CudaAllocation();
  [[nodiscard]] std::byte* at() const { return reinterpret_cast<std::byte*>(m_at); }

 private:
  CudaDriver const& m_driver;
  CudaPlace m_place;
  CUdeviceptr m_at = 0;
  MadeHere m_here;
};

}  // namespace Koinon::Impl
