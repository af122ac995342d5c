// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hip/hip_runtime_api.h>

namespace Koinon::Testing {
namespace {

/// Skips the program where there is nothing to run it on.
class NeedsGpu : public ::testing::Environment {
 public:
  void SetUp() override {
    int devices = 0;
    if (hipError_t const error = hipGetDeviceCount(&devices); error != hipSuccess || devices == 0) {
      GTEST_SKIP() << "there is no GPU: " << hipGetErrorName(error);
    }
  }
};

[[maybe_unused]] ::testing::Environment* const needs_gpu = ::testing::AddGlobalTestEnvironment(new NeedsGpu);

}  // namespace
}  // namespace Koinon::Testing
