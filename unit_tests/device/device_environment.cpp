// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <support/Koinon_RankRunner.hpp>

#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

namespace Koinon::Testing {
namespace {

/// Skips the program where there is nothing to run it on.
class NeedsGpu : public ::testing::Environment {
 public:
  void SetUp() override {
    int devices = 0;
    cudaError_t const error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess) GTEST_SKIP() << "there is no NVIDIA GPU: " << cudaGetErrorString(error);
    // Kernels of processes that share a GPU take turns: they cannot wait for each other.
    if (int const ranks = rank_counts().front(); ranks_as() == RanksAs::mpi && ranks > devices)
      GTEST_SKIP() << ranks << " processes need a GPU each, and there are " << devices;
  }
};

[[maybe_unused]] ::testing::Environment* const needs_gpu = ::testing::AddGlobalTestEnvironment(new NeedsGpu);

}  // namespace
}  // namespace Koinon::Testing
