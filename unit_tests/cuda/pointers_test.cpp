// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaPointers.hpp>
#include <Koinon_Core.hpp>
#include <cuda/Koinon_FakeCuda.hpp>

#include <array>
#include <span>
#include <string>
#include <utility>

namespace Koinon::Testing {
namespace {

using Origin = FakeDriver::Origin;
using Impl::unreachable_reason;

constexpr char const* of_another_device = "it is memory of another device to which access was not opened";
constexpr char const* not_pinned = "it is host memory that is not pinned, and the device cannot access that";

TEST(CudaPointers, OfWhatTheDriverGaveAreReachableFromTheFirstByteToTheLast) {
  FakeDriver fake(std::vector<FakeGpu>(2));
  Impl::CudaDriver const& driver = Impl::cuda_driver();
  Impl::CudaPlace const first = fake.place(0);
  {
    Impl::CudaCurrent const current(driver, first);
    CUdeviceptr device = 0;
    void* pinned = nullptr;
    ASSERT_EQ(driver.cuMemAlloc(&device, 4096), CUDA_SUCCESS);
    ASSERT_EQ(driver.cuMemHostAlloc(&pinned, 4096, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP), CUDA_SUCCESS);
    auto const* const begin = reinterpret_cast<std::byte const*>(device);
    for (std::size_t const at : {0, 1, 4095}) {
      EXPECT_EQ(unreachable_reason(first, begin + at), nullptr);
      EXPECT_STREQ(unreachable_reason(fake.place(1), begin + at), of_another_device);
      EXPECT_EQ(unreachable_reason(fake.place(1), static_cast<std::byte*>(pinned) + at), nullptr);
    }
    driver.cuMemFree(device);
    driver.cuMemFreeHost(pinned);
  }
  EXPECT_STREQ(unreachable_reason(first, nullptr), "it is null");
  EXPECT_EQ(fake.violations(), std::vector<std::string>());
  EXPECT_EQ(fake.live(), "");
}

TEST(CudaPointers, OfEveryOriginAreToldApartByWhetherTheDeviceCanAccessThem) {
  FakeDriver fake({{}, {}, FakeGpu{.pageable = true}, {}});
  std::array<std::byte, 64> memory{};
  struct Case {
    Origin origin;
    char const* on_another;  // GPU 1
  };
  for (Case const& c : {Case{Origin::device, of_another_device}, Case{Origin::pool, of_another_device},
                        Case{Origin::managed, nullptr}, Case{Origin::pinned, nullptr}}) {
    fake.know(memory.data(), memory.size(), c.origin, 0);
    for (std::byte const* const p : {memory.data(), memory.data() + 63}) {
      EXPECT_EQ(unreachable_reason(fake.place(0), p), nullptr);
      EXPECT_STREQ(unreachable_reason(fake.place(1), p), c.on_another);
    }
    fake.forget(memory.data());
  }
  EXPECT_STREQ(unreachable_reason(fake.place(0), memory.data()), not_pinned);
  EXPECT_EQ(unreachable_reason(fake.place(2), memory.data()), nullptr);
  for (auto const& [origin, of] : {std::pair(Origin::device, 2), std::pair(Origin::pool, 3)}) {
    fake.know(memory.data(), memory.size(), origin, of);
    EXPECT_STREQ(unreachable_reason(fake.place(0), memory.data()), of_another_device);
    fake.open(0, of);
    EXPECT_EQ(unreachable_reason(fake.place(0), memory.data()), nullptr);
    EXPECT_STREQ(unreachable_reason(fake.place(1), memory.data()), of_another_device) << "opened to GPU 0 alone";
  }
  EXPECT_EQ(fake.violations(), std::vector<std::string>());
}

TEST(CudaPointers, AreAskedForOnceAndAgainWhileTheyAreRefused) {
  FakeDriver fake(std::vector<FakeGpu>(1));
  std::array<std::byte, 64> memory{};
  Impl::DeviceReached reached;
  auto const asked = [&] { return fake.calls("cuPointerGetAttributes"); };
  EXPECT_STREQ(reached.refusal_of(fake.place(0), memory.data()), not_pinned);
  EXPECT_STREQ(reached.refusal_of(fake.place(0), memory.data()), not_pinned);
  EXPECT_EQ(asked(), 2);
  fake.know(memory.data(), memory.size(), Origin::pinned, 0);
  for (int turn = 0; turn < 3; ++turn) EXPECT_EQ(reached.refusal_of(fake.place(0), memory.data()), nullptr);
  EXPECT_EQ(asked(), 3);
  int const before = fake.calls("");
  EXPECT_EQ(reached.refusal_of(fake.place(0), memory.data()), nullptr);
  EXPECT_EQ(fake.calls(""), before) << "a call that repeats an earlier one calls nothing of the driver";
}

class CudaArguments : public OnBothKinds {};
INSTANTIATE_TEST_SUITE_P(Ranks, CudaArguments, both_kinds(), kind_name);

/// Expects that the call is refused for its array, that can_run says so too, and that nothing was launched.
template <class Ask, class F>
void expect_refused(FakeComm const& comm, char const* argument, char const* why, Ask&& ask, F&& call) {
  Impl::LaunchNumber const before = comm.device().m_numbers[0];
  std::string const text = "`" + std::string(argument) + "` cannot be accessed by the kernels of this rank: " + why;
  std::string const rank = "rank " + std::to_string(comm.rank());
  expect_error(caught(call), "InvalidArgument", text.c_str(), rank.c_str());
  EXPECT_NE(ask().reason().find(text), std::string::npos) << ask().reason();
  EXPECT_EQ(comm.device().m_numbers[0], before);
}

TEST_P(CudaArguments, ThatTheDeviceCannotAccessAreRefusedOnThatRankAndACorrectedCallLaunches) {
  run_on_fake(GetParam(), 2, {{}, {}}, [](FakeDriver& fake, FakeCuda const& space, Bootstrap& bootstrap) {
    FakeComm const comm(space, bootstrap);
    CollectivePolicy const policy(space, comm);
    std::array<float, 8> memory{};  // of the stack: plain host memory
    auto const device = symmetric_array<float, 1>(comm, 8);
    std::span<float> const there(device.pointer, 4);
    std::span<float> const whole(device.pointer, 8);
    std::span<float> const here(memory.data(), 4);
    std::span<float> const nothing(memory.data(), 0);
    if (comm.rank() == 0) {
      expect_refused(comm, "in", not_pinned, [&] { return can_run<AllReduce>(policy, here, there); },
                     [&] { all_reduce(policy, here, there); });
      expect_refused(comm, "out", not_pinned, [&] { return can_run<AllReduce>(policy, there, here); },
                     [&] { all_reduce(policy, there, here); });
      expect_refused(comm, "array", not_pinned, [&] { return can_run<Broadcast>(policy, here, 0); },
                     [&] { broadcast(policy, here, 0); });
      expect_refused(comm, "in", not_pinned, [&] { return can_run<Reduce>(policy, here, there, 1); },
                     [&] { reduce(policy, here, there, 1); });
      expect_refused(comm, "out", not_pinned, [&] { return can_run<Reduce>(policy, there, here, 0); },
                     [&] { reduce(policy, there, here, 0); });
      expect_refused(comm, "in", not_pinned, [&] { return can_run<AllGather>(policy, here, whole); },
                     [&] { all_gather(policy, here, whole); });
      expect_refused(comm, "out", not_pinned, [&] { return can_run<ReduceScatter>(policy, whole, here); },
                     [&] { reduce_scatter(policy, whole, here); });
    }
    EXPECT_EQ(comm.device().m_numbers[0], 0u);
    // What is not looked at, because there is nothing in it, is no fault; nor what only the root needs.
    all_reduce(policy, nothing, nothing);
    reduce(policy, there, here, 1 - comm.rank());
    EXPECT_EQ(comm.device().m_numbers[0], 2u);
    int const asked = fake.calls("cuPointerGetAttributes");
    for (int turn = 0; turn < 3; ++turn) all_reduce(policy, there, there);
    EXPECT_EQ(comm.device().m_numbers[0], 5u);
    if (GetParam() == RankKind::processes) {
      EXPECT_EQ(fake.calls("cuPointerGetAttributes"), asked);
    }
    bootstrap.barrier();
  });
}

TEST_P(CudaArguments, OfAnotherDeviceAreTakenOnceAccessIsOpened) {
  run_on_fake(GetParam(), 2, {{}, {}, {}}, [](FakeDriver& fake, FakeCuda const& space, Bootstrap& bootstrap) {
    FakeComm const comm(space, bootstrap);
    CollectivePolicy const policy(space, comm);
    std::array<float, 4> memory{};
    std::span<float> const array(memory);
    fake.know(memory.data(), sizeof memory, Origin::device, 2);
    expect_refused(comm, "in", of_another_device, [&] { return can_run<AllReduce>(policy, array, array); },
                   [&] { all_reduce(policy, array, array); });
    fake.open(comm.rank(), 2);
    all_reduce(policy, array, array);
    EXPECT_EQ(comm.device().m_numbers[0], 1u);
    fake.forget(memory.data());
    bootstrap.barrier();
  });
}

}  // namespace
}  // namespace Koinon::Testing
