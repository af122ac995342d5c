// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <support/Koinon_FaultCalls.hpp>
#include <support/Koinon_RankKinds.hpp>

#include <gtest/gtest.h>

namespace Koinon::Testing {
namespace {

class Split : public OnBothKinds {};
INSTANTIATE_TEST_SUITE_P(Ranks, Split, both_kinds(), kind_name);

/// Gathers every member's number; the order of the result is the order of the ranks.
std::vector<int> members(Comm const& comm, int number) {
  std::vector<int> all(static_cast<std::size_t>(comm.size()));
  CollectivePolicy<HostThread> const policy(comm.space(), comm);
  int const mine[1] = {number};
  all_gather("members", policy, std::span<int const>(mine), std::span<int>(all));
  return all;
}

TEST_P(Split, GathersRanksOfOneColorByKeyThenByRank) {
  run(6, [](Bootstrap& bootstrap) {
    Comm const comm = make_comm(bootstrap);
    int const rank = comm.rank();
    auto const half = comm.split(rank % 2, 0);
    ASSERT_TRUE(half.has_value());
    EXPECT_EQ(members(*half, rank), rank % 2 == 0 ? (std::vector{0, 2, 4}) : (std::vector{1, 3, 5}));
    auto const reversed = comm.split(1 << 30, -rank);
    EXPECT_EQ(members(*reversed, rank), (std::vector{5, 4, 3, 2, 1, 0}));
    EXPECT_EQ(reversed->rank(), 5 - rank);
    auto const by_key = comm.split(0, rank / 2 == 1 ? -1 : 1);
    EXPECT_EQ(members(*by_key, rank), (std::vector{2, 3, 0, 1, 4, 5}));
    auto const alone = comm.split(rank, 0);
    EXPECT_EQ(members(*alone, rank), std::vector{rank});
    reduce_ones(comm, "parent", ways[2]);
  });
}

TEST_P(Split, GivesNothingForANegativeColor) {
  run(3, [](Bootstrap& bootstrap) {
    Comm const comm = make_comm(bootstrap);
    auto const some = comm.split(comm.rank() == 1 ? -1 : 0, 0);
    EXPECT_EQ(some.has_value(), comm.rank() != 1);
    if (some) {
      EXPECT_EQ(members(*some, comm.rank()), (std::vector{0, 2}));
    }
    EXPECT_FALSE(comm.split(-5, 0).has_value());
    reduce_ones(comm, "parent", ways[0]);
  });
}

TEST_P(Split, Nests) {
  run(4, [](Bootstrap& bootstrap) {
    Comm const comm = make_comm(bootstrap);
    int const rank = comm.rank();
    auto const three = comm.split(rank < 3 ? 0 : -1, -rank);
    if (!three) return;
    auto const two = three->split(rank == 1 ? 1 : 2, rank);
    EXPECT_EQ(members(*two, rank), rank == 1 ? std::vector{1} : (std::vector{0, 2}));
    auto const one = two->split(two->rank(), 0);
    EXPECT_EQ(one->size(), 1);
    for (Way const& way : ways) {
      reduce_ones(*one, "one", way);
      reduce_ones(*two, "two", way);
      reduce_ones(*three, "three", way);
    }
  });
}

TEST_P(Split, KeepsTheOptionsAndHasMemoryOfItsOwn) {
  run(2, [](Bootstrap& bootstrap) {
    CommunicatorOptions options{
        .staging_bytes = 1 << 17, .symmetric_bytes = 1 << 16, .timeout = std::chrono::seconds(77)};
    options.launch_number = 0xFFFFFFF0u;
    Comm const comm = make_comm(bootstrap, options);
    auto const parents = symmetric_array<char, 1>(comm, 60000);
    auto const half = comm.split(0, 0);
    auto const own = symmetric_array<char, 1>(*half, 60000);
    EXPECT_NE(parents.data(), own.data());
    EXPECT_NE(half->describe().find("timeout        77 s"), std::string::npos) << half->describe();
    EXPECT_NE(half->describe().find("symmetric 65536"), std::string::npos) << half->describe();
    EXPECT_EQ(half->state()->options().launch_number, 0u);
    for (int i = 0; i < 40; ++i) {
      reduce_ones(comm, "over the wrap", ways[0]);
      reduce_ones(*half, "x", ways[1]);
    }
  });
}

}  // namespace
}  // namespace Koinon::Testing
