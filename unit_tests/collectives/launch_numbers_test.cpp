// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_CellDraw.hpp>

#include <gtest/gtest.h>

#include <tuple>

namespace Koinon::Testing {
namespace {

/// Starts just below the two places where numbers wrap: the sign of a difference, and zero.
class LaunchNumbers : public ::testing::TestWithParam<std::tuple<int, std::uint32_t>> {};

TEST_P(LaunchNumbers, EveryOperationIsRightWhileTheyRunThroughAndARefusedCallTakesNone) {
  auto const& [ranks, start] = GetParam();
  run_ranks(ranks, [first = start, size = ranks](Bootstrap& bootstrap) {
    for (int space = 0; space < HostSpaces::count; ++space) {
      // Each of these calls is once the launch that wraps. Of MPI's ranks, which take long to make a communicator, two are.
      std::uint32_t const step = ranks_as() == RanksAs::mpi ? 3 : 1;
      for (std::uint32_t before = 1; before <= 6; before += step) {
        Session const session(bootstrap, space, first - before);
        Random random(seed() + before + static_cast<std::uint64_t>(size) * 16);
        Impl::LaunchNumber expected = first - before;
        for (int i = 0; i < 16; ++i) {
          Exercise const& each = *exercises()[random.below(exercises().size())];
          Cell const cell = draw_cell(session, each, random);
          std::uint64_t const cell_seed = random.next();
          expect_cell(session, each, cell, cell_seed);
          if (expected_refusal(session, each, cell).empty()) expected = Impl::next_launch_number(expected);
          for (int block = 0; block < session.max_blocks(); ++block) {
            ASSERT_EQ(session.launch_number(block), expected) << cell.text();
          }
        }
        session.barrier();
      }
    }
  });
}

/// Blocks skip the started words when data of the launch before proved them. What was proved before the numbers began
/// again must be forgotten: the same numbers come again, and would prove what never was.
TEST(KnownNumbers, WhatPeersDataProvedBeforeTheWrapIsForgotten) {
  for (int const ranks : few_rank_counts()) {
    run_ranks(ranks, [](Bootstrap& bootstrap) {
      for (int space = 0; space < HostSpaces::count; ++space) {
        Session const session(bootstrap, space, 0xFFFFFFFFu - 8);
        Exercise const& sums = exercise("float_sum");
        auto const call = [&](Algorithm algorithm, int blocks) {
          Cell cell;
          cell.algorithm = algorithm;
          cell.blocks = blocks;
          cell.rows = 3000;
          expect_cell(session, sums, cell, 1);
        };
        for (int i = 0; i < 4; ++i) call(Algorithm::two_shot, session.max_blocks());
        if (session.size() > 1) {
          EXPECT_GT(session.known_number(0), 0xFFFFFFF0u);
        }
        while (session.launch_number(0) > 100) session.barrier();  // on one block, as a barrier is
        for (int b = 0; b < session.max_blocks(); ++b) EXPECT_LE(session.known_number(b), session.launch_number(0)) << b;
        for (int i = 0; i < 4; ++i) call(Algorithm::low_latency, 0);
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Starts, LaunchNumbers,
                         ::testing::Combine(::testing::ValuesIn(rank_counts()),
                                            ::testing::Values(0x80000000u, 0xFFFFFFFFu)),
                         [](auto const& i) {
                           return ranks_name(std::get<0>(i.param)) +
                                  (std::get<1>(i.param) == 0x80000000u ? "_through_2_to_31" : "_through_2_to_32");
                         });

}  // namespace
}  // namespace Koinon::Testing
