// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaCopies.hpp>

namespace Koinon::Impl {

namespace {
CUdeviceptr address_of(void const* p) {
  return reinterpret_cast<CUdeviceptr>(p);
}
}  // namespace

CudaCopies::CudaCopies(CudaDriver const& driver, CudaPlace const& place) : m_driver(driver), m_place(place) {
  CudaCurrent const current(driver, place);
  check(driver, driver.cuStreamCreate(&m_stream, CU_STREAM_NON_BLOCKING), "making a stream (cuStreamCreate)");
}

CudaCopies::~CudaCopies() {
  if (!m_here) return;
  CudaCurrent const current(m_driver, m_place, std::nothrow);
  if (current.ok()) m_driver.cuStreamDestroy(m_stream);  // else it went with its context
}

void CudaCopies::finish(CUresult enqueued, char const* step) const {
  check(m_driver, enqueued, step);
  check(m_driver, m_driver.cuStreamSynchronize(m_stream), step);
}

void CudaCopies::fill_zero(void* at, std::size_t bytes) const {
  if (bytes == 0) return;
  CudaCurrent const current(m_driver, m_place);
  finish(m_driver.cuMemsetD8Async(address_of(at), 0, bytes, m_stream), "zeroing device memory (cuMemsetD8Async)");
}

void CudaCopies::fill_words(void* at, std::uint32_t value, std::size_t words) const {
  CudaCurrent const current(m_driver, m_place);
  finish(m_driver.cuMemsetD32Async(address_of(at), value, words, m_stream), "filling device memory (cuMemsetD32Async)");
}

void CudaCopies::write(void* at, void const* host, std::size_t bytes) const {
  CudaCurrent const current(m_driver, m_place);
  finish(m_driver.cuMemcpyHtoDAsync(address_of(at), host, bytes, m_stream),
         "writing device memory (cuMemcpyHtoDAsync)");
}

void CudaCopies::read(void const* at, void* host, std::size_t bytes) const {
  CudaCurrent const current(m_driver, m_place);
  finish(m_driver.cuMemcpyDtoHAsync(host, address_of(at), bytes, m_stream),
         "reading device memory (cuMemcpyDtoHAsync)");
}

}  // namespace Koinon::Impl
