// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_CellDraw.hpp>

#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace {

using Koinon::Testing::Cell;
using Koinon::Testing::Random;
using Koinon::Testing::Session;

/// The whole of algorithm, transport, shape, layout and placement is too large for every type; each exercise draws its
/// cells from it, others for each number of ranks and space.
int cells_of(int ranks) {
  return Koinon::Testing::cells(ranks <= 4 ? 24 : ranks <= 8 ? 12 : 4);
}

class Matrix : public ::testing::TestWithParam<std::tuple<std::size_t, int>> {};

TEST_P(Matrix, EveryRankHasTheReferenceAndNothingElseIsWritten) {
  auto const& [index, ranks] = GetParam();
  Koinon::Testing::Exercise const& exercise = *Koinon::Testing::exercises()[index];
  Koinon::Testing::run_ranks(
      ranks, [&exercise, size = ranks, number = static_cast<std::uint64_t>(index)](Koinon::Bootstrap& bootstrap) {
        for (int space = 0; space < Koinon::Testing::HostSpaces::count; ++space) {
          Session const session(bootstrap, space);
          Random random(Koinon::Testing::mixed(Koinon::Testing::seed() + static_cast<std::uint64_t>(space) * 64 +
                                               static_cast<std::uint64_t>(size) + 4096 * number));
          for (int i = 0; i < cells_of(size); ++i) {
            Cell const cell = Koinon::Testing::draw_cell(session, exercise, random);
            Koinon::Testing::expect_cell(session, exercise, cell, random.next());
          }
        }
      });
}

INSTANTIATE_TEST_SUITE_P(AllExercises, Matrix,
                         ::testing::Combine(::testing::Range(std::size_t{0}, Koinon::Testing::exercises().size()),
                                            ::testing::ValuesIn(Koinon::Testing::many_rank_counts())),
                         [](auto const& i) {
                           return Koinon::Testing::exercises()[std::get<0>(i.param)]->name() + "_" +
                                  Koinon::Testing::ranks_name(std::get<1>(i.param));
                         });

}  // namespace
