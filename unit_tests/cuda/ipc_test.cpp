// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/Koinon_FakeCuda.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

// Memory that only cudaIpc brings to other processes, at addresses of the driver's choice.
namespace Koinon::Testing {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

class CudaIpc : public ::testing::Test {
 protected:
  void SetUp() override {
    if (thread_sanitized) GTEST_SKIP() << "which does not see across processes";
  }
};

std::vector<FakeGpu> gpus_without_export(int count) {
  return std::vector<FakeGpu>(static_cast<std::size_t>(count), FakeGpu{.descriptors = false});
}

/// Returns where kernels of this rank find the first symmetric byte of another.
std::byte* symmetric_of(FakeComm const& comm, int rank) {
  return comm.device().m_segments[rank] + comm.device().m_layout.symmetric;
}

TEST_F(CudaIpc, SharesMemoryThatCannotBeExportedAndSaysWhy) {
  for (int const ranks : {2, 3, 8}) {
    for (int const gpus : {1, 2}) {
      run_on_fake(RankKind::processes, ranks, gpus_without_export(gpus),
                  [&](FakeDriver& fake, FakeCuda const& space, Bootstrap& bootstrap) {
                    FakeComm const comm(space, bootstrap);
                    std::string const text = comm.describe();
                    EXPECT_NE(text.find("cudaIpc; tried before: not every GPU exports memory by file descriptor"),
                              std::string::npos)
                        << text;
                    EXPECT_NE(text.find("memory that cudaIpc shares has no multicast address"), std::string::npos)
                        << text;
                    EXPECT_EQ(fake.calls("cuIpcOpenMemHandle"), ranks - 1);
                    EXPECT_EQ(fake.calls("cuMemMap"), 0);
                    DeviceCommunicator const& device = comm.device();
                    EXPECT_EQ(device.m_stride, 0);
                    EXPECT_EQ(device.segment(comm.rank()), device.m_segments[comm.rank()])
                        << "hosts find the own segment alone";
                    for (int p = 0; p < ranks; ++p) {
                      EXPECT_TRUE(fake.can_access(space.place.device, device.m_segments[p], device.m_layout.bytes));
                    }
                    auto const array = symmetric_array<std::uint32_t, 1>(comm, 100);
                    for (int i = 0; i < 100; ++i) ASSERT_EQ(array.pointer[i], 0u);
                    auto const offset = reinterpret_cast<std::byte*>(array.pointer) - device.m_segments[comm.rank()];
                    bootstrap.barrier();
                    for (int p = 0; p < ranks; ++p) {
                      reinterpret_cast<std::uint32_t*>(device.m_segments[p] + offset)[comm.rank()] =
                          static_cast<std::uint32_t>(100 * p + comm.rank());
                    }
                    bootstrap.barrier();
                    for (int p = 0; p < ranks; ++p)
                      EXPECT_EQ(array.pointer[p], static_cast<std::uint32_t>(100 * comm.rank() + p));
                    bootstrap.barrier();
                  });
    }
  }
}

TEST_F(CudaIpc, IsTriedWhereAnExportFailsOnARank) {
  run_on_fake(
      RankKind::processes, 3, std::vector<FakeGpu>(3),
      [](FakeDriver&, FakeCuda const& space, Bootstrap& bootstrap) {
        FakeComm const comm(space, bootstrap);
        std::string const text = comm.describe();
        EXPECT_NE(text.find("cudaIpc; tried before: file descriptors: "), std::string::npos) << text;
        EXPECT_NE(text.find("failed on rank 1"), std::string::npos) << text;
        *symmetric_of(comm, (comm.rank() + 1) % 3) = std::byte{7};
        bootstrap.barrier();
        EXPECT_EQ(*symmetric_of(comm, comm.rank()), std::byte{7});
      },
      [](FakeDriver& fake) { fake.fail(1, 0, CUDA_ERROR_NOT_SUPPORTED, "cuMemExportToShareableHandle"); });
}

TEST_F(CudaIpc, TellsAllReasonsWhereItFailsToo) {
  run_on_fake(
      RankKind::processes, 2, gpus_without_export(2),
      [](FakeDriver&, FakeCuda const& space, Bootstrap& bootstrap) {
        expect_error(caught([&] { FakeComm const comm(space, bootstrap); }), "ResourceError",
                     "not every GPU exports memory by file descriptor", "cudaIpc: ", "failed on rank 1",
                     "cuIpcOpenMemHandle", "threads of one process");
      },
      [](FakeDriver& fake) { fake.fail(1, 0, CUDA_ERROR_NOT_SUPPORTED, "cuIpcOpenMemHandle"); });
}

TEST_F(CudaIpc, KeepsTheMemoryOfAFastRankUntilASlowOneHasLetGo) {
  run_on_fake(RankKind::processes, 3, gpus_without_export(3),
              [](FakeDriver&, FakeCuda const& space, Bootstrap& bootstrap) {
                auto comm = std::make_unique<FakeComm>(space, bootstrap);
                bootstrap.barrier();
                comm->abort("so that nobody waits for the others when it goes");
                bootstrap.barrier();
                auto const before = Clock::now();
                if (bootstrap.rank() == 1) {
                  std::this_thread::sleep_for(milliseconds(300));
                  *symmetric_of(*comm, 0) = std::byte{1};  // a store that lands late
                }
                comm.reset();
                EXPECT_GE(Clock::now() - before, milliseconds(250));
              });
}

TEST_F(CudaIpc, NeverFreesTheMemoryOfARankThatAnotherKeeps) {
  expect_ends(run_forked_ranks(2, [](ForkedRank& rank) {
    FakeDriver fake(gpus_without_export(2));
    FakeDriver::be_rank(rank.rank());
    auto comm = std::make_unique<FakeComm>(FakeCuda{fake.place(rank.rank())}, rank,
                                           CommunicatorOptions{.timeout = std::chrono::seconds(2)});
    rank.barrier();
    comm->abort("so that nobody waits for the others when it goes");
    rank.barrier();
    if (rank.rank() == 0) {
      comm.reset();
      EXPECT_EQ(fake.live(), "1 allocations ");
    }
    rank.barrier();
    if (rank.rank() == 1) {
      *symmetric_of(*comm, 0) = std::byte{1};
      comm.reset();
      EXPECT_EQ(fake.live(), "");
    }
    EXPECT_EQ(fake.violations(), std::vector<std::string>());
    rank.barrier();
  }));
}

}  // namespace
}  // namespace Koinon::Testing
