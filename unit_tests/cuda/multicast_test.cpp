// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <communicator/Koinon_EnvironmentGuard.hpp>
#include <cuda/Koinon_FakeCuda.hpp>

#include <cstdlib>
#include <optional>

namespace Koinon::Testing {
namespace {

class CudaMulticast : public OnBothKinds {};
INSTANTIATE_TEST_SUITE_P(Ranks, CudaMulticast, both_kinds(), kind_name);

/// Expects that kernels find no multicast address, that no call may take the transport, and that describe() says why.
void expect_none(FakeComm const& comm, std::string const& reason) {
  EXPECT_EQ(comm.device().m_multicast, nullptr);
  EXPECT_FALSE(comm.state()->facts().capabilities.contains(Capability::multimem));
  EXPECT_NE(comm.describe().find("multicast      no: " + reason), std::string::npos) << comm.describe();
}

/// Expects that a communicator works without multicast, says why, and that the driver was not asked for any of it.
void expect_untouched(RankKind kind, int ranks, std::vector<FakeGpu> const& gpus, std::string const& reason) {
  run_on_fake(kind, ranks, gpus, [&](FakeDriver& fake, FakeCuda const& space, Bootstrap& bootstrap) {
    FakeComm const comm(space, bootstrap);
    expect_none(comm, reason);
    bootstrap.barrier();
    EXPECT_EQ(fake.calls("cuMulticast"), 0);
  });
}

TEST_P(CudaMulticast, IsNotTouchedInTestsThatDoNotAskForIt) {
  ASSERT_STREQ(std::getenv("KOINON_MULTICAST"), "0");
  expect_untouched(GetParam(), 4, std::vector<FakeGpu>(4), "KOINON_MULTICAST=0");
}

TEST_P(CudaMulticast, IsNotTouchedWhereAVariableSaysOff) {
  EnvironmentGuard const wanted("KOINON_MULTICAST", "1");
  for (auto const& [name, value] : {std::pair<char const*, char const*>{"NCCL_NVLS_ENABLE", "0"},
                                    {"TORCH_SYMM_MEM_DISABLE_MULTICAST", "1"},
                                    {"NVSHMEM_DISABLE_NVLS", "1"}}) {
    EnvironmentGuard const off(name, value);
    expect_untouched(GetParam(), 4, std::vector<FakeGpu>(4), std::string(name) + "=" + value);
  }
}

TEST_P(CudaMulticast, IsNotTouchedOverFewerThanThreeGpus) {
  EnvironmentGuard const wanted("KOINON_MULTICAST", "1");
  for (auto const& [ranks, gpus] : {std::pair{1, 1}, {2, 1}, {4, 1}, {2, 2}, {4, 2}, {8, 2}}) {
    expect_untouched(GetParam(), ranks, std::vector<FakeGpu>(static_cast<std::size_t>(gpus)),
                     "it is used over 3 or more GPUs, here are " + std::to_string(gpus));
  }
}

TEST(CudaMulticastOfProcesses, IsNotTouchedWhereOneRanksOwnerSaysOff) {
  if (thread_sanitized) GTEST_SKIP() << "which does not see across processes";
  EnvironmentGuard const wanted("KOINON_MULTICAST", "1");
  run_on_fake(RankKind::processes, 4, std::vector<FakeGpu>(4),
              [&](FakeDriver& fake, FakeCuda const& space, Bootstrap& bootstrap) {
                if (bootstrap.rank() == 2) setenv("NCCL_NVLS_ENABLE", "0", 1);
                FakeComm const comm(space, bootstrap);
                EXPECT_NE(comm.describe().find("no: NCCL_NVLS_ENABLE=0 on rank 2"), std::string::npos)
                    << comm.describe();
                EXPECT_EQ(fake.calls("cuMulticast"), 0);
              });
}

/// Expects that a communicator works without multicast, and that no object was made.
void expect_none_made(RankKind kind, int ranks, std::vector<FakeGpu> const& gpus, std::string const& reason) {
  run_on_fake(kind, ranks, gpus, [&](FakeDriver&, FakeCuda const& space, Bootstrap& bootstrap) {
    FakeComm const comm(space, bootstrap);
    expect_none(comm, reason);
  });
}

TEST_P(CudaMulticast, IsNotMadeWhereRanksShareAGpuOrAGpuHasNone) {
  EnvironmentGuard const wanted("KOINON_MULTICAST", "1");
  expect_none_made(GetParam(), 4, std::vector<FakeGpu>(3), "two ranks share a GPU");
  std::vector<FakeGpu> gpus(4);
  gpus[3].multicast = false;
  expect_none_made(GetParam(), 4, gpus, "GPU 0000:13:00.0 of rank 3 has none");
}

TEST_P(CudaMulticast, ReachesTheMemoryOfAllRanksWhereAllAllowsIt) {
  EnvironmentGuard const wanted("KOINON_MULTICAST", "1");
  for (int const ranks : {3, 4, 8}) {
    for (bool const fabric : {false, true}) {
      std::vector<FakeGpu> const gpus(static_cast<std::size_t>(ranks),
                                      FakeGpu{.descriptors = !fabric, .fabric = fabric});
      run_on_fake(GetParam(), ranks, gpus, [&](FakeDriver& fake, FakeCuda const& space, Bootstrap& bootstrap) {
        FakeComm const comm(space, bootstrap);
        std::byte* const base = comm.state()->memory().multicast_base();
        ASSERT_NE(base, nullptr) << comm.describe();
        EXPECT_EQ(fake.bound_at(base), ranks);
        EXPECT_NE(comm.describe().find("multicast      yes, by the hardware"), std::string::npos) << comm.describe();
        EXPECT_TRUE(comm.state()->facts().capabilities.contains(Capability::multimem));
        bootstrap.barrier();
      });
    }
  }
}

TEST_P(CudaMulticast, IsFoundByKernelsAtTheOffsetOfTheOwnAddress) {
  EnvironmentGuard const wanted("KOINON_MULTICAST", "1");
  run_on_fake(GetParam(), 3, std::vector<FakeGpu>(3), [&](FakeDriver&, FakeCuda const& space, Bootstrap& bootstrap) {
    FakeComm const comm(space, bootstrap);
    DeviceCommunicator const& device = comm.device();
    auto const array = symmetric_array<float, 1>(comm, 100);
    std::byte* const base = comm.state()->memory().multicast_base();
    ASSERT_NE(base, nullptr);
    EXPECT_EQ(device.multicast_pointer(device.segment(comm.rank())), base);
    std::size_t const staging = device.m_layout.staging;
    EXPECT_EQ(device.multicast_pointer(device.segment(comm.rank()) + staging), base + staging);
    auto const offset = reinterpret_cast<std::byte*>(array.pointer + 3) - device.segment(comm.rank());
    EXPECT_EQ(device.multicast_pointer(array.pointer + 3), base + offset);
    bootstrap.barrier();
  });
}

TEST_P(CudaMulticast, IsGivenUpByAllRanksWhereAnyOfItsCallsFailsOnAnyRank) {
  EnvironmentGuard const wanted("KOINON_MULTICAST", "1");
  for (char const* const call :
       {"cuMulticastGetGranularity", "cuMulticastCreate", "cuMulticastAddDevice", "cuMulticastBindMem"}) {
    for (int rank = 0; rank < 3; ++rank) {
      if (rank > 0 && std::string(call) == "cuMulticastCreate") continue;  // rank 0 calls it
      run_on_fake(
          GetParam(), 3, std::vector<FakeGpu>(3),
          [&](FakeDriver& fake, FakeCuda const& space, Bootstrap& bootstrap) {
            FakeComm const comm(space, bootstrap);
            std::string const text = comm.describe();
            EXPECT_EQ(comm.state()->memory().multicast_base(), nullptr);
            expect_none(comm, "");
            EXPECT_NE(text.find("failed on rank " + std::to_string(rank) + ": " + call), std::string::npos) << text;
            bootstrap.barrier();
            EXPECT_EQ(fake.live().find("bindings"), std::string::npos) << fake.live();
            // What the others had bound was unbound before they let the object go.
            bool const bound = std::string(call) == "cuMulticastBindMem";
            int const others = GetParam() == RankKind::threads ? 2 : (comm.rank() == rank ? 0 : 1);
            EXPECT_EQ(fake.calls("cuMulticastUnbind") - fake.calls("cuMulticastUnbind looked up"), bound ? others : 0);
            bootstrap.barrier();
          },
          [&](FakeDriver& fake) { fake.fail(rank, 0, CUDA_ERROR_NOT_SUPPORTED, call); });
    }
  }
}

}  // namespace
}  // namespace Koinon::Testing
