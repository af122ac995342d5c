// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaDriver.hpp>
#include <support/Koinon_Caught.hpp>
#include <support/Koinon_ForkedRanks.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <dlfcn.h>
#include <functional>
#include <string>
#include <vector>

// The search path of this program begins with a driver that only tells what it is asked for. The driver is loaded once
// a process, so each case has one of its own.
namespace Koinon::Testing {
namespace {

std::string looked_up() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  auto const ask = reinterpret_cast<char const* (*)()>(dlsym(library, "stub_looked_up"));
  return ask();
}

void in_a_process(std::function<void()> const& body) {
  expect_ends(run_forked_ranks(1, [&](ForkedRank&) { body(); }));
}

TEST(CudaDriverLoader, TakesEveryFunctionByItsVersionAndNoneOfMulticast) {
  in_a_process([] {
    Impl::CudaDriver const& driver = Impl::cuda_driver();
    EXPECT_EQ(&driver, &Impl::cuda_driver());
    EXPECT_NE(driver.cuMemMap, nullptr);
    std::string const asked = looked_up();
    EXPECT_NE(asked.find("cuMemAlloc:3020 "), std::string::npos) << asked;
    EXPECT_NE(asked.find("cuMemCreate:10020 "), std::string::npos) << asked;
    EXPECT_NE(asked.find("cuStreamGetCaptureInfo:10010 "), std::string::npos) << asked;
    EXPECT_EQ(asked.find("Multicast"), std::string::npos) << asked;
  });
}

TEST(CudaDriverLoader, LooksMulticastUpOnlyOnceItIsAllowed) {
  in_a_process([] {
    Impl::CudaDriver const& driver = Impl::cuda_driver();
    Impl::Environment environment;
    environment.multicast_allowed = false;
    environment.multicast_refusal = "not here";
    std::vector<std::string> const two{"a", "b", "a", "b"};
    std::vector<std::string> const three{"a", "b", "c"};
    std::string refusal;
    EXPECT_FALSE(Impl::allowed_multicast(driver, environment, three, refusal));
    EXPECT_EQ(refusal, "not here");
    environment.multicast_allowed = true;
    EXPECT_FALSE(Impl::allowed_multicast(driver, environment, two, refusal));
    EXPECT_EQ(refusal, "it is used over 3 or more GPUs, here are 2");
    EXPECT_EQ(looked_up().find("Multicast"), std::string::npos);
    auto const multicast = Impl::allowed_multicast(driver, environment, three, refusal);
    ASSERT_TRUE(multicast);
    EXPECT_NE(multicast->cuMulticastBindMem, nullptr);
    EXPECT_NE(looked_up().find("cuMulticastBindMem:12010 "), std::string::npos);
  });
}

TEST(CudaDriverLoader, NamesWhatTheDriverLacks) {
  in_a_process([] {
    setenv("STUB_LACKS", "cuMemMap", 1);
    for (int turn = 0; turn < 2; ++turn) {
      expect_error(caught([] { (void)Impl::cuda_driver(); }), "ResourceError", "the NVIDIA driver lacks cuMemMap");
    }
  });
  in_a_process([] {
    setenv("STUB_LACKS", "cuMulticastCreate", 1);
    std::vector<std::string> const gpus{"a", "b", "c"};
    std::string refusal;
    EXPECT_FALSE(Impl::allowed_multicast(Impl::cuda_driver(), {}, gpus, refusal));
    EXPECT_EQ(refusal, "the driver lacks cuMulticastCreate");
  });
}

TEST(CudaDriverLoader, TellsWhyTheDriverCannotBeInitialised) {
  in_a_process([] {
    setenv("STUB_INIT", std::to_string(static_cast<int>(CUDA_ERROR_NO_DEVICE)).c_str(), 1);
    expect_error(caught([] { (void)Impl::cuda_driver(); }), "ResourceError", "initialising the NVIDIA driver",
                 "CUDA_ERROR_NO_DEVICE (100)");
  });
}

}  // namespace
}  // namespace Koinon::Testing
