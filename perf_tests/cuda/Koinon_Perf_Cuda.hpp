// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>
#include <stdexcept>
#include <string>

namespace Koinon::Perf {

inline void require_cuda(cudaError_t error, char const* step) {
  if (error != cudaSuccess)
    throw std::runtime_error(std::string(step) + ": " + cudaGetErrorName(error) + ", " + cudaGetErrorString(error));
}

}  // namespace Koinon::Perf
