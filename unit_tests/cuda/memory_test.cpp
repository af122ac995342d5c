// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/Koinon_FakeCuda.hpp>
#include <node/Koinon_Vote.hpp>

#include <algorithm>
#include <memory>
#include <sys/wait.h>
#include <unistd.h>

namespace Koinon::Testing {
namespace {

class CudaMemory : public OnBothKinds {};
INSTANTIATE_TEST_SUITE_P(Ranks, CudaMemory, both_kinds(), kind_name);

constexpr std::uint32_t a_launch_number = 77;

/// Expects what kernels of a new communicator find.
void expect_new(FakeDriver& fake, FakeComm const& comm, std::vector<FakeGpu> const& gpus) {
  DeviceCommunicator const& device = comm.device();
  auto const gpu_of = [&](int rank) { return rank % static_cast<int>(gpus.size()); };
  for (int p = 0; p < comm.size(); ++p) {
    EXPECT_TRUE(fake.can_access(gpu_of(comm.rank()), device.segment(p), device.m_layout.bytes));
    EXPECT_EQ(*device.started_word(comm.rank(), p), a_launch_number);
  }
  std::byte const* const own = device.segment(comm.rank());
  auto const is_zero = [](std::byte b) { return b == std::byte{0}; };
  auto const is_ones = [](std::byte b) { return b == std::byte{0xFF}; };
  EXPECT_LT(device.m_layout.sentinels, device.m_layout.staging);
  EXPECT_TRUE(std::all_of(own + device.m_layout.words, own + device.m_layout.sentinels, is_zero));
  EXPECT_TRUE(std::all_of(own + device.m_layout.sentinels, own + device.m_layout.staging, is_ones)) << "sentinels are armed";
  EXPECT_TRUE(std::all_of(own + device.m_layout.staging, own + device.m_layout.bytes, is_zero));

  // The words of the launches lie behind all that peers use, the failed word before the first number.
  auto const* const words = reinterpret_cast<std::byte const*>(device.m_numbers);
  EXPECT_GE(words, own + device.m_layout.bytes);
  EXPECT_LT(words, own + device.m_stride);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(words) % 16, 8u);
  for (int b = 0; b < comm.max_blocks(); ++b) {
    EXPECT_EQ(device.m_numbers[b], a_launch_number);
    EXPECT_EQ(device.m_known[b], 0u);
  }
  std::size_t const scratch = static_cast<std::size_t>(comm.max_blocks()) * 4 * static_cast<std::size_t>(comm.size());
  EXPECT_TRUE(fake.can_access(gpu_of(comm.rank()), device.m_scratch, scratch * sizeof(std::uint64_t)));
  EXPECT_LE(reinterpret_cast<std::byte const*>(device.m_scratch + scratch), own + device.m_stride);

  Impl::DeviceWatch const& watch = watch_of(comm);
  EXPECT_EQ(watch.failed + 2, device.m_numbers);
  EXPECT_EQ(*watch.failed, 0u);
  EXPECT_EQ(*watch.claim, 0u);
  EXPECT_EQ(*watch.abort_word, 0u);
  EXPECT_EQ(watch.failure->kind, 0u);
  EXPECT_EQ(watch.timeout_ticks, 60'000'000'000u);
}

TEST_P(CudaMemory, IsReachedByAllRanksOnAnyNumberOfGpus) {
  for (int const ranks : {1, 2, 3, 4, 8}) {
    for (int gpus = 1; gpus <= ranks; ++gpus) {
      std::vector<FakeGpu> const all(static_cast<std::size_t>(gpus));
      run_on_fake(GetParam(), ranks, all, [&](FakeDriver& fake, FakeCuda const& space, Bootstrap& bootstrap) {
        FakeComm const comm(space, bootstrap, {.timeout = std::chrono::seconds(60), .launch_number = a_launch_number});
        expect_new(fake, comm, all);
        // Every rank leaves a mark at every rank, and finds those of all others with itself.
        bootstrap.barrier();
        auto const mark = [&](int at, int of) {
          return comm.device().segment(at) + comm.device().m_layout.symmetric + of;
        };
        for (int p = 0; p < ranks; ++p) *mark(p, comm.rank()) = static_cast<std::byte>(10 * p + comm.rank() + 1);
        bootstrap.barrier();
        for (int p = 0; p < ranks; ++p) {
          EXPECT_EQ(*mark(comm.rank(), p), static_cast<std::byte>(10 * comm.rank() + p + 1));
        }
        EXPECT_NE(comm.describe().find(GetParam() == RankKind::threads || ranks == 1 ? "one mapping for all threads"
                                                                                     : "file descriptors"),
                  std::string::npos)
            << comm.describe();
      });
    }
  }
}

TEST_P(CudaMemory, IsZeroedWhenItIsAllocated) {
  run_on_fake(GetParam(), 2, {{}, {}}, [](FakeDriver&, FakeCuda const& space, Bootstrap& bootstrap) {
    FakeComm const comm(space, bootstrap);
    for (int turn = 0; turn < 2; ++turn) {
      auto const array = symmetric_array<std::uint32_t, 1>(comm, 1000);
      for (int i = 0; i < 1000; ++i) ASSERT_EQ(array.pointer[i], 0u);
      std::fill_n(array.pointer, 1000, 0xDEADu);
      free_symmetric(comm, array);
    }
  });
}

TEST_P(CudaMemory, OfASlowRankOutlivesThatOfAFastOne) {
  run_on_fake(GetParam(), 3, {{}, {}, {}}, [](FakeDriver&, FakeCuda const& space, Bootstrap& bootstrap) {
    auto comm = std::make_unique<FakeComm>(space, bootstrap);
    bool const slow = bootstrap.rank() == 1;
    std::byte* const at = comm->device().segment(0) + comm->device().m_layout.symmetric;
    bootstrap.barrier();
    comm->abort("so that nobody waits for the others when it goes");
    if (!slow) comm.reset();
    bootstrap.barrier();
    if (slow) *at = std::byte{1};  // a store that lands late
    bootstrap.barrier();
  });
}

TEST_P(CudaMemory, TravelsByFabricHandleWhereDescriptorsDoNot) {
  std::vector<FakeGpu> gpus(3, FakeGpu{.descriptors = false, .fabric = true});
  run_on_fake(GetParam(), 3, gpus, [&](FakeDriver&, FakeCuda const& space, Bootstrap& bootstrap) {
    FakeComm const comm(space, bootstrap);
    bool const travels = GetParam() == RankKind::processes;
    EXPECT_EQ(comm.describe().find("fabric handles") != std::string::npos, travels) << comm.describe();
    *(comm.device().segment((comm.rank() + 1) % 3) + comm.device().m_layout.symmetric) = std::byte{7};
    bootstrap.barrier();
    EXPECT_EQ(*(comm.device().segment(comm.rank()) + comm.device().m_layout.symmetric), std::byte{7});
  });
}

TEST(CudaMemoryOfProcesses, TriesFabricHandlesWhereAnExportByDescriptorFails) {
  if (thread_sanitized) GTEST_SKIP() << "which does not see across processes";
  std::vector<FakeGpu> gpus(3, FakeGpu{.fabric = true});
  run_on_fake(
      RankKind::processes, 3, gpus,
      [&](FakeDriver&, FakeCuda const& space, Bootstrap& bootstrap) {
        FakeComm const comm(space, bootstrap);
        std::string const text = comm.describe();
        EXPECT_NE(text.find("fabric handles; tried before: file descriptors: "), std::string::npos) << text;
        EXPECT_NE(text.find("failed on rank 1"), std::string::npos) << text;
      },
      [](FakeDriver& fake) { fake.fail(1, 0, CUDA_ERROR_NOT_SUPPORTED, "cuMemExportToShareableHandle"); });
}

TEST(CudaMemoryOfThreads, IsOneAllocationWhereTheGpuCannotMap) {
  run_on_fake(RankKind::threads, 4, {FakeGpu{.maps = false}},
              [&](FakeDriver& fake, FakeCuda const& space, Bootstrap& bootstrap) {
                FakeComm const comm(space, bootstrap,
                                    {.timeout = std::chrono::seconds(60), .launch_number = a_launch_number});
                expect_new(fake, comm, {{}});
                EXPECT_NE(comm.describe().find("one allocation for all threads"), std::string::npos);
              });
  run_on_fake(RankKind::threads, 2, std::vector<FakeGpu>(2, FakeGpu{.maps = false}),
              [&](FakeDriver&, FakeCuda const& space, Bootstrap& bootstrap) {
                expect_error(caught([&] { FakeComm const comm(space, bootstrap); }), "UnsupportedError",
                             "virtual memory management");
              });
}

TEST_P(CudaMemory, IsRefusedOnAllRanksWhereOneGpuIsOutOfReach) {
  std::vector<FakeGpu> gpus(3);
  gpus[2].unreachable = {0};
  run_on_fake(GetParam(), 3, gpus, [&](FakeDriver&, FakeCuda const& space, Bootstrap& bootstrap) {
    expect_error(caught([&] { FakeComm const comm(space, bootstrap); }), "ResourceError", "failed on rank 2",
                 "GPU 0000:12:00.0 has no peer access to GPU 0000:10:00.0 of rank 0");
  });
}

TEST(CudaMemoryOfProcesses, IsLeftAloneByAForkedChild) {
  if (thread_sanitized) GTEST_SKIP() << "forks";
  FakeDriver fake(std::vector<FakeGpu>(1));
  run_thread_ranks(1, [&](ThreadBootstrap& bootstrap) {
    auto comm = std::make_unique<FakeComm>(FakeCuda{fake.place(0)}, bootstrap);
    pid_t const child = fork();
    if (child == 0) {
      int const before = fake.calls("");
      comm.reset();
      _exit(fake.calls("") == before ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  });
  EXPECT_EQ(fake.live(), "");
}

}  // namespace
}  // namespace Koinon::Testing
