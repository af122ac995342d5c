// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Core.hpp>
#include <cuda/Koinon_FakeCuda.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <thread>

namespace Koinon::Testing {
namespace {

using Clock = std::chrono::steady_clock;

class CudaDestruction : public OnBothKinds {};
INSTANTIATE_TEST_SUITE_P(Ranks, CudaDestruction, both_kinds(), kind_name);

/// Launches kernels that go on after their calls, and returns how many blocks they have.
std::uint64_t launch_some(FakeComm const& comm, FakeCuda const& space, std::span<float> array) {
  CollectivePolicy const policy(space, comm);
  FakeCudaBackend::kernels_go_on = true;
  for (int turn = 0; turn < 3; ++turn) all_reduce("slow", policy, array, array);
  FakeCudaBackend::kernels_go_on = false;
  return static_cast<Impl::DeviceLaunched*>(comm.device().m_launched)->blocks();
}

TEST_P(CudaDestruction, WaitsUntilThisRanksLaunchesHaveEnded) {
  run_on_fake(GetParam(), 2, {{}, {}}, [](FakeDriver& fake, FakeCuda const& space, Bootstrap& bootstrap) {
    auto comm = std::make_unique<FakeComm>(space, bootstrap);
    auto const array = symmetric_array<float, 1>(*comm, 4);
    std::uint64_t const blocks = launch_some(*comm, space, std::span(array.pointer, 4));
    ASSERT_GT(blocks, 0u);
    DeviceCommunicator const device = comm->device();
    int const gpu = space.place.device;
    std::atomic<bool> ended{false};
    std::thread kernel([&] {
      for (std::uint64_t b = 0; b < blocks; ++b) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        for (int p = 0; p < 2; ++p) EXPECT_TRUE(fake.can_access(gpu, device.segment(p), device.m_layout.bytes));
        ended.store(b + 1 == blocks);
        FakeCudaBackend::end_kernels(device, 1);
      }
    });
    comm.reset();
    EXPECT_TRUE(ended.load()) << "the memory went under a kernel's feet";
    kernel.join();
    bootstrap.barrier();
  });
}

TEST_P(CudaDestruction, DoesNotWaitForLaunchesThatWereCaptured) {
  run_on_fake(GetParam(), 1, {{}}, [](FakeDriver& fake, FakeCuda const& space, Bootstrap& bootstrap) {
    FakeComm const comm(space, bootstrap);
    auto const array = symmetric_array<float, 1>(comm, 4);
    fake.capture(space.stream, 7);
    EXPECT_EQ(launch_some(comm, space, std::span(array.pointer, 4)), 0u);
    fake.capture(space.stream, 0);
  });
}

/// A kernel of this rank waits for a peer whose kernel has given up: the host that destroys must tell it so.
void expect_ended_by_the_peers_failure(RankKind kind, std::function<void(FakeDriver&)> const& prepare) {
  run_on_fake(
      kind, 2, {{}, {}},
      [](FakeDriver&, FakeCuda const& space, Bootstrap& bootstrap) {
        auto comm = std::make_unique<FakeComm>(space, bootstrap, CommunicatorOptions{.timeout = std::chrono::seconds(60)});
        auto const array = symmetric_array<float, 1>(*comm, 4);
        std::uint64_t const blocks = launch_some(*comm, space, std::span(array.pointer, 4));
        bootstrap.barrier();
        DeviceCommunicator const device = comm->device();
        auto const begin = Clock::now();
        std::thread kernel([&] {
          Impl::DeviceWatch const& watch = *static_cast<Impl::DeviceWatch const*>(device.m_watch);
          if (device.rank() == 1) {
            watch.failure->peer = 0;
            std::atomic_ref(watch.failure->kind)
                .store(static_cast<std::uint32_t>(Impl::FailureKind::timeout), std::memory_order_release);
          } else {
            while (std::atomic_ref(*watch.abort_word).load(std::memory_order_acquire) == 0) std::this_thread::yield();
          }
          FakeCudaBackend::end_kernels(device, blocks);
        });
        comm.reset();
        EXPECT_LT(Clock::now() - begin, std::chrono::seconds(20));
        kernel.join();
        bootstrap.barrier();
      },
      prepare);
}

TEST_P(CudaDestruction, EndsTheWaitsOfThisRanksKernelsWhenAPeersHaveFailed) {
  expect_ended_by_the_peers_failure(GetParam(), [](FakeDriver&) {});
  expect_ended_by_the_peers_failure(GetParam(), [](FakeDriver& fake) { fake.always_fail("cuMemHostRegister"); });
}

TEST(CudaDestructionOfOneRank, LeavesTheMemoryToAKernelThatDoesNotEnd) {
  FakeDriver fake(std::vector<FakeGpu>(1));
  fake.always_fail("cuMemHostRegister");  // so that the abort word stays, too
  run_thread_ranks(1, [&](ThreadBootstrap& bootstrap) {
    FakeCuda const space{fake.place(0)};
    auto comm = std::make_unique<FakeComm>(space, bootstrap, CommunicatorOptions{.timeout = std::chrono::milliseconds(200)});
    auto const array = symmetric_array<float, 1>(*comm, 4);
    (void)launch_some(*comm, space, std::span(array.pointer, 4));
    DeviceCommunicator const device = comm->device();
    auto const begin = Clock::now();
    comm.reset();
    EXPECT_GT(Clock::now() - begin, std::chrono::milliseconds(200));
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(20));
    EXPECT_TRUE(fake.can_access(0, device.segment(0), device.m_layout.bytes));
    auto const& watch = *static_cast<Impl::DeviceWatch const*>(device.m_watch);
    EXPECT_NE(std::atomic_ref(*watch.abort_word).load(), 0u) << "its waits were ended";
  });
  EXPECT_EQ(fake.violations(), std::vector<std::string>());
  EXPECT_NE(fake.live(), "");
}

TEST(CudaDestructionOfOneRank, GoesOnWhereTheContextIsGone) {
  FakeDriver fake(std::vector<FakeGpu>(1));
  run_thread_ranks(1, [&](ThreadBootstrap& bootstrap) {
    FakeCuda const space{fake.place(0)};
    auto comm = std::make_unique<FakeComm>(space, bootstrap);
    auto const array = symmetric_array<float, 1>(*comm, 4);
    (void)launch_some(*comm, space, std::span(array.pointer, 4));
    fake.always_fail("cuMemcpyDtoHAsync", CUDA_ERROR_ILLEGAL_ADDRESS);
    comm.reset();
  });
  EXPECT_EQ(fake.live(), "");
}

}  // namespace
}  // namespace Koinon::Testing
