// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaHostWords.hpp>

#include <cstddef>
#include <new>

namespace Koinon::Impl {

namespace {
constexpr std::size_t page_bytes = 4096;
}

CudaHostWords::CudaHostWords(CudaDriver const& driver, CudaPlace const& place, std::uint32_t& alert)
    : m_driver(driver), m_place(place), m_alert(&alert) {
  CudaCurrent const current(driver, place);
  void* own = nullptr;
  check(driver, driver.cuMemHostAlloc(&own, sizeof(Own), CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
        "allocating pinned memory (cuMemHostAlloc)");
  m_own = new (own) Own;
  CUresult const result = driver.cuMemHostGetDevicePointer(&m_own_on_device, own, 0);
  if (result != CUDA_SUCCESS) {
    driver.cuMemFreeHost(own);
    check(driver, result, "finding pinned memory on the device (cuMemHostGetDevicePointer)");
  }
  take_alert_page();
}

void CudaHostWords::take_alert_page() {
  // A rank's alert lies in a segment of its own, whole pages: nobody else registers this one.
  auto const address = reinterpret_cast<std::uintptr_t>(m_alert);
  void* const page = reinterpret_cast<void*>(address / page_bytes * page_bytes);
  if (m_driver.cuMemHostRegister(page, page_bytes, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP) !=
      CUDA_SUCCESS) {
    return;
  }
  if (m_driver.cuMemHostGetDevicePointer(&m_page_on_device, page, 0) == CUDA_SUCCESS) {
    m_page = page;
  } else {
    m_driver.cuMemHostUnregister(page);
  }
}

CudaHostWords::~CudaHostWords() {
  if (!m_here) return;
  CudaCurrent const current(m_driver, m_place, std::nothrow);
  if (!current.ok()) return;  // what a context had is gone with it
  if (m_page != nullptr) m_driver.cuMemHostUnregister(m_page);
  m_driver.cuMemFreeHost(m_own);
}

void CudaHostWords::fill_in(CudaWatch& watch) const {
  CUdeviceptr const abort_word =
      m_page != nullptr
          ? m_page_on_device + (reinterpret_cast<std::uintptr_t>(m_alert) - reinterpret_cast<std::uintptr_t>(m_page))
          : m_own_on_device + offsetof(Own, abort_word);
  watch.abort_word = reinterpret_cast<std::uint32_t*>(abort_word);
  watch.failure = reinterpret_cast<DeviceFailure*>(m_own_on_device + offsetof(Own, failure));
}

}  // namespace Koinon::Impl
