// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <support/Koinon_FaultCalls.hpp>

#include <gtest/gtest.h>

#include <cstdlib>

namespace Koinon::Testing {
namespace {

std::int64_t now_ns() {
  return Clock::now().time_since_epoch().count();
}

/// Lets this process be killed by a thread of its own after a while, and notes when.
void die_after(ForkedRank& rank, milliseconds delay) {
  std::thread([&rank, delay] {
    std::this_thread::sleep_for(delay);
    rank.word(0) = now_ns();
    rank.die();
  }).detach();
}

void expect_found_soon(ForkedRank& rank, Caught const& c, int victim) {
  expect_missing(c, {victim});
  EXPECT_TRUE(c.says("rank " + std::to_string(victim) + " has ended")) << c.message;
  EXPECT_LT(std::chrono::nanoseconds(now_ns() - rank.word(0)), soon);
}

struct Case {
  int ranks;
  int victim;
  Way way;
};

class KilledRank : public ::testing::TestWithParam<Case> {};

/// The victim dies in the midst of calls that follow each other without a pause.
void killed_between_calls(Case const& c) {
  expect_ends(run_forked_ranks(c.ranks,
                               [&](ForkedRank& rank) {
                                 ProcessSnapshot const before = ProcessSnapshot::take();
                                 {
                                   Comm comm = make_comm(rank);
                                   reduce_ones(comm, "first", c.way);
                                   if (rank.rank() == c.victim) die_after(rank, milliseconds(20));
                                   Caught const found = caught([&] {
                                     for (;;) reduce_ones(comm, "fatal", c.way);
                                   });
                                   expect_found_soon(rank, found, c.victim);
                                   EXPECT_EQ(found.operation, "all_reduce");
                                   EXPECT_EQ(found.label, "fatal");
                                   EXPECT_GE(found.launch_number, 2u);
                                   expect_stays_failed(comm, found);
                                 }
                                 expect_nothing_left(before);
                               }),
              {c.victim});
}

TEST_P(KilledRank, IsNamedByAllOthersWithinMilliseconds) {
  killed_between_calls(GetParam());
}

TEST_P(KilledRank, IsNamedAlsoWithTheTimeoutOff) {
  setenv("KOINON_TIMEOUT_SECONDS", "off", 1);
  killed_between_calls(GetParam());
  unsetenv("KOINON_TIMEOUT_SECONDS");
}

INSTANTIATE_TEST_SUITE_P(Ways, KilledRank,
                         ::testing::Values(Case{2, 1, ways[0]}, Case{2, 0, ways[3]}, Case{4, 2, ways[0]},
                                           Case{4, 0, ways[1]}, Case{4, 3, ways[2]}, Case{3, 1, ways[3]}),
                         [](auto const& i) { return "case_" + std::to_string(i.index); });

TEST(KilledRanks, AreAllNamedWhenTwoDieTogether) {
  expect_ends(run_forked_ranks(4,
                               [](ForkedRank& rank) {
                                 Comm comm = make_comm(rank);
                                 rank.barrier();
                                 if (rank.rank() == 1 || rank.rank() == 2) rank.die();
                                 std::this_thread::sleep_for(milliseconds(300));  // both are gone by then
                                 Caught const found = caught([&] { reduce_ones(comm, "x", ways[2]); });
                                 expect_missing(found, {1, 2});
                                 EXPECT_EQ(found.launch_number, 1u);
                               }),
              {1, 2});
}

TEST(KilledRanks, AreFoundByCheckWithoutACall) {
  expect_ends(run_forked_ranks(3,
                               [](ForkedRank& rank) {
                                 Comm comm = make_comm(rank);
                                 comm.check();
                                 rank.barrier();
                                 if (rank.rank() == 0) rank.die();
                                 Caught found;
                                 for (auto const since = Clock::now(); Clock::now() - since < soon;) {
                                   found = caught([&] { comm.check(); });
                                   if (found.type != "nothing") break;
                                 }
                                 expect_missing(found, {0});
                                 expect_stays_failed(comm, found);
                               }),
              {0});
}

// A rank may have gone before another one begins to watch it.
TEST(KilledRanks, AreNamedWhenTheyDiedAsTheCommunicatorWasReady) {
  setenv("KOINON_TIMEOUT_SECONDS", "off", 1);
  expect_ends(run_forked_ranks(3,
                               [](ForkedRank& rank) {
                                 Comm comm = make_comm(rank);
                                 if (rank.rank() == 2) rank.die();
                                 expect_missing(caught([&] { reduce_ones(comm, "x", ways[1]); }), {2});
                               }),
              {2});
  unsetenv("KOINON_TIMEOUT_SECONDS");
}

TEST(KilledRanks, DoNotHoldOthersInTheDestructor) {
  expect_ends(run_forked_ranks(3,
                               [](ForkedRank& rank) {
                                 ProcessSnapshot const before = ProcessSnapshot::take();
                                 {
                                   Comm const comm = make_comm(rank);
                                   reduce_ones(comm, "x", ways[0]);
                                   if (rank.rank() == 1) {
                                     std::this_thread::sleep_for(milliseconds(50));  // the others wait in theirs
                                     rank.word(0) = now_ns();
                                     rank.die();
                                   }
                                 }
                                 EXPECT_LT(std::chrono::nanoseconds(now_ns() - rank.word(0)), soon);
                                 expect_nothing_left(before);
                               }),
              {1});
}

TEST(KilledRanks, AreNamedInSymmetricAllocation) {
  expect_ends(run_forked_ranks(3,
                               [](ForkedRank& rank) {
                                 Comm comm = make_comm(rank);
                                 if (rank.rank() == 0) {
                                   std::this_thread::sleep_for(milliseconds(30));
                                   rank.word(0) = now_ns();
                                   rank.die();
                                 }
                                 Caught const found = caught([&] { (void)symmetric_array<double, 1>(comm, 100); });
                                 expect_found_soon(rank, found, 0);
                                 EXPECT_EQ(found.operation, "symmetric allocation");
                                 expect_stays_failed(comm, found);
                               }),
              {0});
}

TEST(KilledRanks, AreNamedInSplit) {
  expect_ends(run_forked_ranks(4,
                               [](ForkedRank& rank) {
                                 ProcessSnapshot const before = ProcessSnapshot::take();
                                 {
                                   Comm comm = make_comm(rank);
                                   if (rank.rank() == 3) {
                                     std::this_thread::sleep_for(milliseconds(30));
                                     rank.word(0) = now_ns();
                                     rank.die();
                                   }
                                   Caught const found = caught([&] { (void)comm.split(0, rank.rank()); });
                                   expect_found_soon(rank, found, 3);
                                   EXPECT_EQ(found.operation, "split");
                                   expect_stays_failed(comm, found);
                                 }
                                 expect_nothing_left(before);
                               }),
              {3});
}

}  // namespace
}  // namespace Koinon::Testing
