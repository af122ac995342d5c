// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaRange.hpp>

#include <cstddef>
#include <cstdint>

namespace Koinon::Impl {

/// Fills and copies device memory and waits until it is done, on a stream of its own that the null stream does not wait
/// for, nor it for the null stream. Each function throws ResourceError.
class KOINON_EXPORT CudaCopies {
 public:
  CudaCopies(CudaDriver const& driver, CudaPlace const& place);
  CudaCopies(CudaCopies const&) = delete;
  CudaCopies& operator=(CudaCopies const&) = delete;
  ~CudaCopies();

  void fill_zero(void* at, std::size_t bytes) const;
  void fill_words(void* at, std::uint32_t value, std::size_t words) const;
  void write(void* at, void const* host, std::size_t bytes) const;
  void read(void const* at, void* host, std::size_t bytes) const;

 private:
  void finish(CUresult enqueued, char const* step) const;

  CudaDriver const& m_driver;
  CudaPlace m_place;
  CUstream m_stream = nullptr;
  MadeHere m_here;
};

}  // namespace Koinon::Impl
