// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaDriver.hpp>
#include <Koinon_CudaPointers.hpp>

namespace Koinon::Impl {

char const* unreachable_reason(CudaPlace const& place, void const* p) {
  if (p == nullptr) return "it is null";
  CudaDriver const& driver = cuda_driver();
  CudaCurrent const current(driver, place);
  auto const address = reinterpret_cast<CUdeviceptr>(p);
  CUmemorytype type{};  // 0: memory that the driver does not know
  CUdeviceptr on_device = 0;
  int managed = 0;
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                      CU_POINTER_ATTRIBUTE_IS_MANAGED};
  void* values[] = {&type, &on_device, &managed};
  if (driver.cuPointerGetAttributes(3, attributes, values, address) != CUDA_SUCCESS) {
    return "the driver refuses to tell what it is";
  }
  if (managed != 0) return nullptr;
  if (static_cast<int>(type) == 0) {
    int pageable = 0;
    bool const known = driver.cuDeviceGetAttribute(&pageable, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS,
                                                   place.device) == CUDA_SUCCESS;
    return known && pageable != 0 ? nullptr : "it is host memory that is not pinned, and the device cannot access that";
  }
  if (on_device == address) return nullptr;
  return type == CU_MEMORYTYPE_HOST ? "it is pinned host memory that is not mapped at the same address on the device"
                                    : "it is memory of another device to which access was not opened";
}

}  // namespace Koinon::Impl
