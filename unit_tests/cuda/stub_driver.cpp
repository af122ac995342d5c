// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <string>

// A libcuda.so.1 that only tells which functions it has. Environment: STUB_LACKS=name, STUB_INIT=number of an error.
namespace {

std::string looked_up;

CUresult init(unsigned) {
  char const* const error = std::getenv("STUB_INIT");
  return static_cast<CUresult>(error == nullptr ? 0 : std::atoi(error));
}
CUresult error_name(CUresult error, char const** name) {
  *name = error == CUDA_ERROR_NO_DEVICE ? "CUDA_ERROR_NO_DEVICE" : "another error";
  return CUDA_SUCCESS;
}
CUresult anything() {
  return CUDA_ERROR_UNKNOWN;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) CUresult cuGetProcAddress_v2(char const* name, void** function,
                                                                               int version, cuuint64_t flags,
                                                                               CUdriverProcAddressQueryResult*) {
  looked_up += std::string(name) + ":" + std::to_string(version) + " ";
  char const* const lacks = std::getenv("STUB_LACKS");
  if (flags != CU_GET_PROC_ADDRESS_LEGACY_STREAM) return CUDA_ERROR_INVALID_VALUE;
  if (lacks != nullptr && std::strcmp(name, lacks) == 0) return CUDA_ERROR_NOT_FOUND;
  auto const give = [&](auto known) { std::memcpy(function, &known, sizeof known); };
  if (std::strcmp(name, "cuInit") == 0) {
    give(&init);
  } else if (std::strcmp(name, "cuGetErrorName") == 0) {
    give(&error_name);
  } else {
    give(&anything);
  }
  return CUDA_SUCCESS;
}

/// Returns what was looked up, as `name:version `.
extern "C" __attribute__((visibility("default"))) char const* stub_looked_up() {
  return looked_up.c_str();
}
