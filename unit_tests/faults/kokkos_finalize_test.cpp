// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <support/Koinon_FaultCalls.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

namespace Koinon::Testing {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using SpaceComm = Communicator<Space>;

void reduce_in_space(SpaceComm const& comm) {
  CollectivePolicy<Space> const policy(comm.space(), comm);
  std::vector<float> const in(100, 1.0f);
  std::vector<float> out(100);
  all_reduce("x", policy, std::span(in), std::span(out));
  EXPECT_EQ(out, std::vector<float>(100, static_cast<float>(comm.size())));
}

void expect_only_destructible(SpaceComm& comm) {
  for (auto const& c : {caught([&] { comm.check(); }), caught([&] { (void)comm.split(0, 0); }),
                        caught([&] { (void)symmetric_array<float, 1>(comm, 4); })}) {
    expect_error(c, "Error", "finalized");
  }
}

// Each rank is a process, since Kokkos is initialized once in one.
TEST(KokkosFinalize, BeforeTheCommunicatorIsDestroyedLeavesOnlyItsDestructor) {
  expect_ends(run_forked_ranks(2, [](ForkedRank& rank) {
    Kokkos::initialize();
    std::optional<SpaceComm> comm(std::in_place, Space(), rank);
    std::optional<SpaceComm> moved = comm->split(0, 0);
    reduce_in_space(*comm);
    reduce_in_space(*moved);
    SpaceComm last = std::move(*moved);
    Kokkos::finalize();  // would end the process if a communicator held an instance
    expect_only_destructible(*comm);
    expect_only_destructible(last);
    auto const since = Clock::now();
    comm.reset();
    EXPECT_LT(Clock::now() - since, soon);
  }));
}

TEST(KokkosFinalize, AfterTheCommunicatorIsDestroyedIsAsUsual) {
  expect_ends(run_forked_ranks(2, [](ForkedRank& rank) {
    Kokkos::ScopeGuard const guard;
    for (int k = 0; k < 3; ++k) reduce_in_space(SpaceComm(Space(), rank));
  }));
}

TEST(KokkosFinalize, OnOneRankLeavesTheOthersAnError) {
  expect_ends(run_forked_ranks(2, [](ForkedRank& rank) {
    Kokkos::initialize();
    {
      SpaceComm comm(Space(), rank, with_timeout(milliseconds(200)));
      reduce_in_space(comm);
      rank.barrier();
      if (rank.rank() == 0) {
        Kokkos::finalize();
      } else {
        EXPECT_EQ(caught([&] { reduce_in_space(comm); }).missing, std::vector<int>{0});
      }
      rank.barrier();
    }
    if (rank.rank() == 1) Kokkos::finalize();
  }));
}

}  // namespace
}  // namespace Koinon::Testing

// Not the usual main: that one initializes Kokkos, which each forked rank does for itself here.
int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
