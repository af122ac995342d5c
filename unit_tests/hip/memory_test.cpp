// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hip/Koinon_FakeHip.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

namespace Koinon::Testing {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

class HipMemory : public OnBothKinds {};
INSTANTIATE_TEST_SUITE_P(Ranks, HipMemory, both_kinds(), kind_name);

constexpr std::uint32_t a_launch_number = 77;

/// Expects what kernels of a new communicator find.
void expect_new(FakeHipRuntime& fake, FakeHipComm const& comm, int gpus) {
  DeviceCommunicator const& device = comm.device();
  int const gpu = comm.rank() % gpus;
  EXPECT_EQ(device.m_stride, 0) << "segments lie anywhere";
  for (int p = 0; p < comm.size(); ++p) {
    EXPECT_TRUE(fake.can_access(gpu, device.m_segments[p], device.m_layout.bytes)) << p;
  }
  std::byte const* const own = device.m_segments[comm.rank()];
  EXPECT_EQ(device.m_base, own) << "hosts find the own segment alone";
  auto const started = reinterpret_cast<Impl::StartedWord const*>(own + device.m_layout.started);
  for (int p = 0; p < comm.size(); ++p) EXPECT_EQ(started[p].number, a_launch_number);
  auto const is_zero = [](std::byte b) { return b == std::byte{0}; };
  auto const is_ones = [](std::byte b) { return b == std::byte{0xFF}; };
  EXPECT_TRUE(std::all_of(own + device.m_layout.words, own + device.m_layout.sentinels, is_zero));
  EXPECT_TRUE(std::all_of(own + device.m_layout.sentinels, own + device.m_layout.staging, is_ones)) << "sentinels are armed";
  EXPECT_TRUE(std::all_of(own + device.m_layout.staging, own + device.m_layout.bytes, is_zero));
  for (int b = 0; b < comm.max_blocks(); ++b) EXPECT_EQ(device.m_numbers[b], a_launch_number);
  std::size_t const scratch = static_cast<std::size_t>(comm.max_blocks()) * 4 * static_cast<std::size_t>(comm.size());
  EXPECT_TRUE(fake.can_access(gpu, device.m_scratch, scratch * sizeof(std::uint64_t)));

  Impl::DeviceWatch const& watch = watch_of(comm);
  EXPECT_EQ(watch.failed + 2, device.m_numbers);
  EXPECT_EQ(*watch.abort_word, 0u);
  EXPECT_EQ(watch.failure->kind, 0u);
  EXPECT_EQ(watch.timeout_ticks, 6'000'000'000u) << "60 s of a clock of 100 MHz";
}

TEST_P(HipMemory, IsReachedByAllRanksOnAnyNumberOfGpus) {
  for (int const ranks : {1, 2, 3, 8}) {
    for (int gpus = 1; gpus <= ranks; gpus += 2) {
      run_on_fake(GetParam(), ranks, std::vector<FakeHipGpu>(static_cast<std::size_t>(gpus)),
                  [&](FakeHipRuntime& fake, FakeHip const& space, Bootstrap& bootstrap) {
                    FakeHipComm const comm(space, bootstrap,
                                           {.timeout = std::chrono::seconds(60), .launch_number = a_launch_number});
                    expect_new(fake, comm, gpus);
                    // Every rank leaves a mark at every rank, and finds those of all others with itself.
                    bootstrap.barrier();
                    for (int p = 0; p < ranks; ++p) {
                      symmetric_of(comm, p)[comm.rank()] = static_cast<std::byte>(10 * p + comm.rank() + 1);
                    }
                    bootstrap.barrier();
                    for (int p = 0; p < ranks; ++p) {
                      EXPECT_EQ(symmetric_of(comm, comm.rank())[p], static_cast<std::byte>(10 * comm.rank() + p + 1));
                    }
                    bool const threads = GetParam() == RankKind::threads || ranks == 1;
                    EXPECT_NE(comm.describe().find(threads ? "pointers between threads" : "hipIpc handles"),
                              std::string::npos)
                        << comm.describe();
                    EXPECT_EQ(fake.calls("hipIpcOpenMemHandle"), threads ? 0 : ranks - 1);
                    bootstrap.barrier();
                  });
    }
  }
}

TEST_P(HipMemory, SaysWhyThereIsNoMulticast) {
  run_on_fake(GetParam(), 2, {{}, {}}, [](FakeHipRuntime&, FakeHip const& space, Bootstrap& bootstrap) {
    FakeHipComm const comm(space, bootstrap);
    EXPECT_EQ(comm.state()->memory().multicast_base(), nullptr);
    EXPECT_NE(comm.describe().find("no: AMD GPUs have no multicast addresses"), std::string::npos) << comm.describe();
    bootstrap.barrier();
  });
}

TEST_P(HipMemory, IsRefusedOnAllRanksWhereOneGpuIsOutOfReach) {
  std::vector<FakeHipGpu> gpus(3);
  gpus[2].unreachable = {0};
  run_on_fake(GetParam(), 3, gpus, [](FakeHipRuntime&, FakeHip const& space, Bootstrap& bootstrap) {
    expect_error(caught([&] { FakeHipComm const comm(space, bootstrap); }), "ResourceError", "failed on rank 2",
                 "GPU 0000:12:00.0 has no peer access to GPU 0000:10:00.0 of rank 0");
  });
}

/// Says of one rank that it lives elsewhere.
class OnAnotherHost : public Bootstrap {
 public:
  explicit OnAnotherHost(Bootstrap& inner) : m_inner(inner) {}
  [[nodiscard]] int rank() const override { return m_inner.rank(); }
  [[nodiscard]] int size() const override { return m_inner.size(); }
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) override {
    m_inner.all_gather(mine, all);
    if (mine.size() != sizeof(Impl::Identity)) return;
    Impl::Identity last;
    std::byte* const at = all.data() + all.size() - sizeof last;
    std::memcpy(&last, at, sizeof last);
    last.boot_id[0] = 'x';
    std::memcpy(at, &last, sizeof last);
  }
  void barrier() override { m_inner.barrier(); }

 private:
  Bootstrap& m_inner;
};

TEST_P(HipMemory, IsNotAskedForWhereARankIsOnAnotherHost) {
  run_on_fake(GetParam(), 2, {{}, {}}, [](FakeHipRuntime& fake, FakeHip const& space, Bootstrap& bootstrap) {
    OnAnotherHost elsewhere(bootstrap);
    expect_error(caught([&] { FakeHipComm const comm(space, elsewhere); }), "UnsupportedError", "host");
    EXPECT_EQ(fake.calls("hipExtMallocWithFlags") + fake.calls("hipIpc"), 0);
    bootstrap.barrier();
  });
}

TEST_P(HipMemory, ToleratesAccessThatTheProgramHasOpenedAndLeavesItOpen) {
  if (GetParam() == RankKind::processes) GTEST_SKIP() << "handles open it by themselves";
  run_on_fake(GetParam(), 2, {{}, {}}, [](FakeHipRuntime& fake, FakeHip const& space, Bootstrap& bootstrap) {
    for (int turn = 0; turn < 2; ++turn) {
      FakeHipComm const comm(space, bootstrap);
      bootstrap.barrier();
    }
    EXPECT_TRUE(fake.is_open(space.place.device, 1 - space.place.device));
    bootstrap.barrier();
  });
}

TEST_P(HipMemory, OfAFastRankStaysUntilASlowOneHasLetGo) {
  run_on_fake(GetParam(), 3, std::vector<FakeHipGpu>(3),
              [](FakeHipRuntime& fake, FakeHip const& space, Bootstrap& bootstrap) {
                auto comm = std::make_unique<FakeHipComm>(space, bootstrap);
                std::byte* const of_first = symmetric_of(*comm, 0);
                bootstrap.barrier();
                comm->abort("so that nobody waits for the others when it goes");
                bootstrap.barrier();
                if (bootstrap.rank() == 1) {
                  std::this_thread::sleep_for(milliseconds(100));
                  EXPECT_TRUE(fake.can_access(1, of_first, 1));
                  *of_first = std::byte{1};  // a store that lands late
                }
                comm.reset();
              });
}

TEST(HipMemoryOfProcesses, IsNeverFreedWhileAnotherRankKeepsIt) {
  if (thread_sanitized) GTEST_SKIP() << "which does not see across processes";
  expect_ends(run_forked_ranks(2, [](ForkedRank& rank) {
    FakeHipRuntime fake(std::vector<FakeHipGpu>(2));
    FakeHipRuntime::be_rank(rank.rank());
    auto comm = std::make_unique<FakeHipComm>(FakeHip{{rank.rank()}}, rank,
                                              CommunicatorOptions{.timeout = std::chrono::seconds(1)});
    rank.barrier();
    comm->abort("so that nobody waits for the others when it goes");
    rank.barrier();
    if (rank.rank() == 0) {
      auto const before = Clock::now();
      comm.reset();
      EXPECT_GE(Clock::now() - before, milliseconds(900));
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
