// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaRange.hpp>

#include <string>

namespace Koinon::Impl {

CudaHandle& CudaHandle::operator=(CudaHandle&& other) noexcept {
  if (this != &other) {
    reset();
    m_driver = std::exchange(other.m_driver, nullptr);
    m_handle = other.m_handle;
    m_here = other.m_here;
  }
  return *this;
}

void CudaHandle::reset() noexcept {
  if (m_driver != nullptr && m_here) {
    CudaOutsideCaptures const outside(*m_driver);
    m_driver->cuMemRelease(m_handle);
  }
  m_driver = nullptr;
}

CudaRange::CudaRange(CudaDriver const& driver, std::size_t bytes, std::size_t alignment)
    : m_driver(driver), m_bytes(bytes) {
  check(m_driver, m_driver.cuMemAddressReserve(&m_at, bytes, alignment, 0, 0),
        "reserving " + std::to_string(bytes) + " bytes of addresses (cuMemAddressReserve)");
}

CudaRange::~CudaRange() {
  if (!m_here) return;
  CudaOutsideCaptures const outside(m_driver);
  for (Part const& part : m_parts) m_driver.cuMemUnmap(part.at, part.bytes);
  m_driver.cuMemAddressFree(m_at, m_bytes);
}

void CudaRange::map(std::size_t offset, std::size_t bytes, CUmemGenericAllocationHandle handle,
                    std::span<CUdevice const> devices) {
  std::vector<CUmemAccessDesc> accesses;
  for (CUdevice const device : devices) {
    CUmemAccessDesc access{};
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location.id = device;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    accesses.push_back(access);
  }
  CUdeviceptr const at = m_at + offset;
  {
    std::lock_guard const lock(m_mutex);
    m_parts.reserve(m_parts.size() + 1);  // before the mapping: it must not be forgotten
    check(m_driver, m_driver.cuMemMap(at, bytes, 0, handle, 0),
          "mapping " + std::to_string(bytes) + " bytes (cuMemMap)");
    m_parts.push_back({at, bytes});
  }
  check(m_driver, m_driver.cuMemSetAccess(at, bytes, accesses.data(), accesses.size()),
        "allowing the devices to access it (cuMemSetAccess)");
}

CudaAllocation::CudaAllocation(CudaDriver const& driver, CudaPlace const& place, std::size_t bytes)
    : m_driver(driver), m_place(place) {
  CudaCurrent const current(driver, place);
  check(m_driver, m_driver.cuMemAlloc(&m_at, bytes), "allocating " + std::to_string(bytes) + " bytes (cuMemAlloc)");
}

CudaAllocation::~CudaAllocation() {
  if (!m_here) return;
  CudaCurrent const current(m_driver, m_place, std::nothrow);
  if (current.ok()) m_driver.cuMemFree(m_at);  // else the context is gone, and with it the memory
}

}  // namespace Koinon::Impl
