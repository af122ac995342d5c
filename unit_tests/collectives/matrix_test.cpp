// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_CellDraw.hpp>

#include <gtest/gtest.h>

#include <array>
#include <memory>
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

/// To make a communicator takes ranks of MPI that share cores longer than all cells of an exercise: there exercises
/// share one of each space.
class Matrix : public ::testing::TestWithParam<std::tuple<std::size_t, int>> {
 protected:
  static void TearDownTestSuite() { kept = {}; }
  static inline std::array<std::unique_ptr<Session>, Koinon::Testing::HostSpaces::count> kept;
};

TEST_P(Matrix, EveryRankHasTheReferenceAndNothingElseIsWritten) {
  auto const& [index, ranks] = GetParam();
  Koinon::Testing::Exercise const& exercise = *Koinon::Testing::exercises()[index];
  Koinon::Testing::run_ranks(
      ranks, [&exercise, size = ranks, number = static_cast<std::uint64_t>(index)](Koinon::Bootstrap& bootstrap) {
        for (int space = 0; space < Koinon::Testing::HostSpaces::count; ++space) {
          std::unique_ptr<Session> own;
          bool const keeps = Koinon::Testing::ranks_as() == Koinon::Testing::RanksAs::mpi;
          std::unique_ptr<Session>& made = keeps ? kept[static_cast<std::size_t>(space)] : own;
          if (!made) made = std::make_unique<Session>(bootstrap, space);
          Session const& session = *made;
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
