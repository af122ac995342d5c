// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/Koinon_FakeCuda.hpp>

#include <atomic>
#include <optional>
#include <thread>

namespace Koinon::Testing {
namespace {

using Impl::FailureKind;

class CudaFailureWords : public OnBothKinds {};
INSTANTIATE_TEST_SUITE_P(Ranks, CudaFailureWords, both_kinds(), kind_name);

/// Does what a block does that gives up a wait.
void give_up(FakeComm const& comm, FailureKind kind, std::uint32_t number, int peer, std::vector<int> const& missing) {
  Impl::DeviceWatch& watch = watch_of(comm);
  ASSERT_EQ(std::atomic_ref(*watch.claim).exchange(1), 0u);
  watch.failure->launch_number = number;
  watch.failure->peer = peer;
  for (int const p : missing) watch.failure->missing[p / 64] |= std::uint64_t{1} << (p % 64);
  std::atomic_ref(watch.failure->kind).store(static_cast<std::uint32_t>(kind), std::memory_order_release);
}

std::uint32_t abort_word(FakeComm const& comm) {
  return std::atomic_ref(*watch_of(comm).abort_word).load(std::memory_order_acquire);
}

TEST_P(CudaFailureWords, OfAKernelReachCheckAndTheNextCallAndEndThePeersKernels) {
  run_on_fake(GetParam(), 3, {{}, {}, {}}, [](FakeDriver&, FakeCuda const& space, Bootstrap& bootstrap) {
    FakeComm const comm(space, bootstrap);
    {
      std::string const label = "grad";  // gone before the failure is told
      comm.state()->note_call("all_reduce", label);
    }
    comm.check();
    EXPECT_EQ(abort_word(comm), 0u);
    bootstrap.barrier();
    if (comm.rank() == 1) {
      give_up(comm, FailureKind::timeout, 12, 0, {0, 2});
      Caught const found = caught([&] { comm.state()->require_good(); });
      expect_missing(found, {0, 2});
      EXPECT_EQ(found.operation, "all_reduce");
      EXPECT_EQ(found.label, "grad");
      EXPECT_EQ(found.launch_number, 12u);
    }
    bootstrap.barrier();
    // No host of the other ranks has looked yet.
    EXPECT_NE(abort_word(comm), 0u);
    expect_missing(caught([&] { comm.check(); }), {0, 2});
    expect_missing(caught([&] { (void)symmetric_array<float, 1>(comm, 4); }), {0, 2});
  });
}

TEST_P(CudaFailureWords, NameThePeerThatWasWaitedForWhereNoneIsMissing) {
  run_on_fake(GetParam(), 2, {{}, {}}, [](FakeDriver&, FakeCuda const& space, Bootstrap& bootstrap) {
    FakeComm const comm(space, bootstrap);
    if (comm.rank() == 0) {
      give_up(comm, FailureKind::timeout, 3, 1, {});
      expect_missing(caught([&] { comm.check(); }), {1});
    }
    bootstrap.barrier();
  });
}

TEST_P(CudaFailureWords, OfAMismatchAreToldAsOne) {
  run_on_fake(GetParam(), 2, {{}, {}}, [](FakeDriver&, FakeCuda const& space, Bootstrap& bootstrap) {
    FakeComm const comm(space, bootstrap);
    if (comm.rank() == 0) {
      give_up(comm, FailureKind::mismatch, 3, 1, {});
      expect_error(caught([&] { comm.check(); }), "MismatchError", "ranks made different calls", "rank 1 called");
    }
    bootstrap.barrier();
  });
}

TEST_P(CudaFailureWords, OfLaunchesThatRanAtTheSameTimeNameTheirRankOnAllRanks) {
  run_on_fake(GetParam(), 2, {{}, {}}, [](FakeDriver&, FakeCuda const& space, Bootstrap& bootstrap) {
    FakeComm const comm(space, bootstrap);
    if (comm.rank() == 1) give_up(comm, FailureKind::overlap, 3, 1, {});
    if (comm.rank() == 1) {
      expect_error(caught([&] { comm.check(); }), "AbortedError", "two launches of one communicator", "on rank 1");
    }
    bootstrap.barrier();
    expect_error(caught([&] { comm.check(); }), "AbortedError", "two launches of one communicator", "on rank 1");
    bootstrap.barrier();
  });
}

TEST_P(CudaFailureWords, EndKernelsOfAllRanksWhenAnyThreadAborts) {
  run_on_fake(GetParam(), 3, {{}}, [](FakeDriver&, FakeCuda const& space, Bootstrap& bootstrap) {
    FakeComm const comm(space, bootstrap);
    bootstrap.barrier();
    if (comm.rank() == 2) std::thread([&] { comm.abort("enough"); }).join();
    bootstrap.barrier();
    EXPECT_NE(abort_word(comm), 0u);
    EXPECT_EQ(watch_of(comm).failure->kind, 0u);
    expect_error(caught([&] { comm.check(); }), "AbortedError", "rank 2 aborted", "enough");
  });
}

TEST_P(CudaFailureWords, AreThisRanksOwnWhereTheDriverRefusesThePageOfTheAlert) {
  run_on_fake(
      GetParam(), 2, {{}},
      [](FakeDriver&, FakeCuda const& space, Bootstrap& bootstrap) {
        FakeComm const comm(space, bootstrap);
        EXPECT_NE(comm.describe().find("aborts of peers found by the host only"), std::string::npos);
        bootstrap.barrier();
        if (comm.rank() == 1) comm.abort("enough");
        bootstrap.barrier();
        EXPECT_EQ(abort_word(comm) != 0, comm.rank() == 1);
        expect_error(caught([&] { comm.check(); }), "AbortedError", "rank 1 aborted");
        EXPECT_NE(abort_word(comm), 0u);
      },
      [](FakeDriver& fake) { fake.always_fail("cuMemHostRegister"); });
}

TEST_P(CudaFailureWords, AreForgottenWithTheMemoryTheyLieIn) {
  run_on_fake(GetParam(), 2, {{}}, [](FakeDriver&, FakeCuda const& space, Bootstrap& bootstrap) {
    for (int turn = 0; turn < 3; ++turn) {
      FakeComm const comm(space, bootstrap);
      comm.check();
      bootstrap.barrier();
      comm.abort("next");
      bootstrap.barrier();
    }
  });
}

}  // namespace
}  // namespace Koinon::Testing
