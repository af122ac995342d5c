// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_AllReduce.hpp>
#include <hip/Koinon_FakeHip.hpp>

#include <array>
#include <span>
#include <string>
#include <utility>

// What calls look at before they launch: where their arrays are, and where the last launch went.
namespace Koinon::Testing {
namespace {

using Origin = FakeHipRuntime::Origin;
using Impl::unreachable_reason;

constexpr char const* out_of_reach = "it is memory of another device, which this one cannot access";
constexpr char const* not_pinned = "it is host memory that is not pinned, and the device cannot access that";

TEST(HipPointers, OfEveryOriginAreToldApartByWhetherTheDeviceCanAccessThem) {
  std::vector<FakeHipGpu> gpus(4);
  gpus[1].unreachable = {0};
  gpus[2].pageable = true;
  FakeHipRuntime fake(gpus);
  std::array<std::byte, 64> memory{};
  struct Case {
    Origin origin;
    char const* own;      // on GPU 0, whose it is
    char const* another;  // on GPU 1, which cannot reach it
  };
  constexpr char const* moved = "it is pinned host memory that is not mapped at the same address on the device";
  constexpr char const* array = "it is no plain memory";
  for (Case const& c : {Case{Origin::device, nullptr, out_of_reach}, Case{Origin::managed, nullptr, nullptr},
                        Case{Origin::pinned, nullptr, nullptr}, Case{Origin::moved, moved, moved},
                        Case{Origin::array, array, array}}) {
    fake.know(memory.data(), memory.size(), c.origin, 0);
    for (std::byte const* const p : {memory.data(), memory.data() + 63}) {
      EXPECT_STREQ(unreachable_reason({0}, p), c.own);
      EXPECT_STREQ(unreachable_reason({1}, p), c.another);
    }
    fake.forget(memory.data());
  }
  EXPECT_STREQ(unreachable_reason({0}, memory.data()), not_pinned);
  EXPECT_STREQ(unreachable_reason({2}, memory.data()), nullptr) << "it reads plain memory";
  EXPECT_STREQ(unreachable_reason({0}, nullptr), "it is null");
  EXPECT_EQ(fake.violations(), std::vector<std::string>());
  EXPECT_EQ(FakeHipRuntime::left_in_thread(), "");
}

TEST(HipPointers, OfAnotherDeviceThatCanBeReachedHaveAccessOpened) {
  FakeHipRuntime fake(std::vector<FakeHipGpu>(2));
  std::array<std::byte, 64> memory{};
  fake.know(memory.data(), memory.size(), Origin::device, 1);
  EXPECT_FALSE(fake.is_open(0, 1));
  for (int turn = 0; turn < 2; ++turn) EXPECT_EQ(unreachable_reason({0}, memory.data()), nullptr);
  EXPECT_TRUE(fake.is_open(0, 1));
  EXPECT_FALSE(fake.is_open(1, 0));
  EXPECT_EQ(FakeHipRuntime::left_in_thread(), "") << "that it was open already is no error of the user";
}

TEST(HipPointers, OfWhichTheRuntimeRefusesToTellAreRefused) {
  FakeHipRuntime fake(std::vector<FakeHipGpu>(1));
  std::array<std::byte, 64> memory{};
  fake.always_fail("hipPointerGetAttributes", hipErrorInvalidValue);
  EXPECT_STREQ(unreachable_reason({0}, memory.data()), not_pinned) << "as some releases say of memory they do not know";
  fake.always_fail("hipPointerGetAttributes", hipErrorNotSupported);
  EXPECT_STREQ(unreachable_reason({0}, memory.data()), "the runtime refuses to tell what it is");
  EXPECT_EQ(FakeHipRuntime::left_in_thread(), "");
}

class HipCalls : public OnBothKinds {};
INSTANTIATE_TEST_SUITE_P(Ranks, HipCalls, both_kinds(), kind_name);

TEST_P(HipCalls, WithAnArrayThatTheDeviceCannotAccessAreRefusedOnThatRankAndACorrectedOneLaunches) {
  run_on_fake(GetParam(), 2, {{}, {}}, [](FakeHipRuntime&, FakeHip const& space, Bootstrap& bootstrap) {
    FakeHipComm const comm(space, bootstrap);
    CollectivePolicy const policy(space, comm);
    std::array<float, 8> memory{};  // of the stack: plain host memory
    auto const device = symmetric_array<float, 1>(comm, 8);
    std::span<float> const there(device.pointer, 4);
    std::span<float> const here(memory.data(), 4);
    if (comm.rank() == 0) {
      expect_error(caught([&] { all_reduce(policy, here, there); }), "InvalidArgument", "`in`", "rank 0", not_pinned);
      expect_error(caught([&] { all_reduce(policy, there, here); }), "InvalidArgument", "`out`", "rank 0", not_pinned);
      EXPECT_NE(can_run<AllReduce>(policy, here, there).reason().find(not_pinned), std::string::npos);
    }
    EXPECT_EQ(comm.device().m_numbers[0], 0u);
    all_reduce(policy, there, there);
    EXPECT_EQ(comm.device().m_numbers[0], 1u);
    bootstrap.barrier();
  });
}

TEST_P(HipCalls, OnAnotherStreamThanTheLastAreOrderedByAnEventAndRefusedWhereNoEventLeads) {
  run_on_fake(GetParam(), 1, {{}, {}}, [](FakeHipRuntime& fake, FakeHip const& space, Bootstrap& bootstrap) {
    using Waits = std::vector<std::pair<hipStream_t, hipStream_t>>;
    auto const a = reinterpret_cast<hipStream_t>(std::uintptr_t{0xA000});
    auto const b = reinterpret_cast<hipStream_t>(std::uintptr_t{0xB000});
    FakeHipComm const comm(space, bootstrap);
    auto const array = symmetric_array<float, 1>(comm, 4);
    std::span<float> const values(array.pointer, 4);
    auto const call = [&](hipStream_t stream, int device = 0) {
      all_reduce("label", CollectivePolicy(FakeHip{{device}, stream}, comm), values, values);
    };
    auto const expect_refused = [&](hipStream_t stream, char const* why, int device = 0) {
      expect_error(caught([&] { call(stream, device); }), "InvalidArgument", "all_reduce [label]", why);
    };
    call(a);
    call(a);
    EXPECT_EQ(fake.waits(), Waits());
    call(b);
    call(nullptr);
    EXPECT_EQ(fake.waits(), (Waits{{b, a}, {nullptr, b}}));
    expect_refused(a, "it is of another device than the communicator's", 1);
    fake.capture(a, 7);
    call(a);
    expect_refused(b, "in a capture that has not ended");
    fake.capture(a, FakeHipRuntime::failed_capture);
    expect_refused(a, "the capture of its stream has failed");
    fake.capture(a, 0);
    fake.always_fail("hipStreamGetCaptureInfo");
    expect_refused(a, "the driver refuses to tell whether its stream is being captured");
    fake.always_fail("hipStreamGetCaptureInfo", hipSuccess);
    call(b);
  });
}

}  // namespace
}  // namespace Koinon::Testing
