// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_CellDraw.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// Calls that were captured once and are replayed with other inputs each time.
namespace Koinon::Testing {
namespace {

/// Draws a cell for each operation that the exercise has, of elements that take little time to make and check.
std::vector<Cell> draw_cell_of_each_operation(Session const& session, Exercise const& exercise, Random& random) {
  std::vector<Cell> cells;
  for (int draws = 0; draws < 256; ++draws) {
    Cell const cell = draw_cell(session, exercise, random);
    std::size_t const elements = cell.rows * cell.columns * static_cast<std::size_t>(session.size());
    bool const known =
        std::any_of(cells.begin(), cells.end(), [&](Cell const& c) { return c.operation == cell.operation; });
    if (known || elements == 0 || elements > 30'000) continue;
    if (expected_refusal(session, exercise, cell).empty()) cells.push_back(cell);
  }
  return cells;
}

void report(Verdict const& verdict, Session const& session, Exercise const& exercise, Cell const& cell,
            char const* what, int turn) {
  if (verdict.fault.empty()) return;
  ADD_FAILURE() << what << " " << turn << ": " << exercise.name() << ", " << cell.text() << ", rank " << session.rank()
                << " of " << session.size() << ": " << verdict.fault;
}

class Replays : public ::testing::TestWithParam<std::tuple<std::size_t, int>> {};

TEST_P(Replays, OfEveryOperationHaveTheReferenceAHundredTimesWithOtherInputsEachTime) {
  auto const& [index, ranks] = GetParam();
  Exercise const& exercise = *exercises()[index];
  run_ranks(ranks, [&exercise, number = static_cast<std::uint64_t>(index)](Bootstrap& bootstrap) {
    Session const session(bootstrap, 0);
    Random random(mixed(seed() + 64 * number + static_cast<std::uint64_t>(session.size())));
    std::vector<Cell> const cells = draw_cell_of_each_operation(session, exercise, random);
    // Every kind has more than one operation; of huge elements a block cannot stage enough.
    EXPECT_TRUE(cells.size() >= 2 || exercise.element_bytes() > 1000) << cells.size();
    for (Cell const& cell : cells) {
      {
        RecordedCell recorded(session, exercise, cell);
        bootstrap.barrier();  // no capture ends while a kernel waits
        bool good = true;
        for (int turn = 0; turn < 100; ++turn) {
          std::uint64_t const inputs = random.next();
          if (turn % 10 == 9) {  // between two replays, a call that is in no graph
            report(run_cell(session, exercise, cell, inputs), session, exercise, cell, "call behind replay", turn);
          }
          Verdict const verdict = recorded.run(inputs);
          if (good) report(verdict, session, exercise, cell, "replay", turn);
          good = verdict.fault.empty();
        }
        bootstrap.barrier();
      }
      bootstrap.barrier();
    }
  });
}

INSTANTIATE_TEST_SUITE_P(AllExercises, Replays,
                         ::testing::Combine(::testing::Range(std::size_t{0}, exercises().size()),
                                            ::testing::ValuesIn(mixed_rank_counts())),
                         [](auto const& i) {
                           return exercises()[std::get<0>(i.param)]->name() + "_" + ranks_name(std::get<1>(i.param));
                         });

/// Calls some of which are replays of a few graphs, without a word between ranks but the collectives' own.
class CapturedStress : public ::testing::TestWithParam<std::tuple<int, std::uint32_t>> {};

/// Is one of the graphs that are replayed again and again.
struct Recorded {
  Exercise const* exercise;
  Cell cell;
  std::unique_ptr<RecordedCell> graph;
};

std::vector<std::unique_ptr<Recorded>> record_some(Session const& session, int count, Random& shared) {
  std::vector<std::unique_ptr<Recorded>> all;
  while (static_cast<int>(all.size()) < count) {
    Exercise const& exercise = *exercises()[shared.below(exercises().size())];
    Cell cell = draw_cell(session, exercise, shared);
    if (!expected_refusal(session, exercise, cell).empty()) continue;
    auto each = std::make_unique<Recorded>(Recorded{&exercise, std::move(cell), nullptr});
    each->graph = std::make_unique<RecordedCell>(session, exercise, each->cell);
    all.push_back(std::move(each));
  }
  return all;
}

void make_mixed_calls(Session const& session, int calls, std::uint64_t seed) {
  constexpr int graphs = 16;
  constexpr int calls_of_graphs = 256;
  Random shared(seed);
  Random own(mixed(seed) + static_cast<std::uint64_t>(session.rank()));
  for (int done = 0; done < calls && !::testing::Test::HasFailure(); done += calls_of_graphs) {
    auto recorded = record_some(session, graphs, shared);
    session.bootstrap().barrier();
    for (int i = done; i < std::min(calls, done + calls_of_graphs); ++i) {
      delay(own.next());
      Recorded const& each = *recorded[shared.below(recorded.size())];
      bool const replays = !shared.one_in(4);
      Exercise const& exercise = replays ? *each.exercise : *exercises()[shared.below(exercises().size())];
      Cell const cell = replays ? each.cell : draw_cell(session, exercise, shared);
      std::uint64_t const inputs = shared.next();
      Verdict const verdict = replays ? each.graph->run(inputs) : run_cell(session, exercise, cell, inputs);
      report(verdict, session, exercise, cell, replays ? "replay at call" : "call", i);
      if (shared.one_in(50)) session.barrier();
    }
    session.bootstrap().barrier();  // nor do graphs go while a kernel waits
    recorded.clear();
    session.bootstrap().barrier();
  }
}

TEST_P(CapturedStress, EveryResultOfRandomCallsAndReplaysIsTheReference) {
  auto const& [ranks, start] = GetParam();
  std::printf("seed %llu, %d calls\n", static_cast<unsigned long long>(seed()), calls(8400));
  run_ranks(ranks, [first = start](Bootstrap& bootstrap) {
    Session const session(bootstrap, 0, first);
    make_mixed_calls(session, calls(8400), mixed(seed() + first) + 7);
  });
}

INSTANTIATE_TEST_SUITE_P(Calls, CapturedStress,
                         ::testing::Combine(::testing::ValuesIn(mixed_rank_counts()),
                                            ::testing::Values(0u, 0xFFFFFFFFu - 200u)),
                         [](auto const& i) {
                           return ranks_name(std::get<0>(i.param)) +
                                  (std::get<1>(i.param) == 0 ? "_from_the_first_launch" : "_through_the_wrap");
                         });

}  // namespace
}  // namespace Koinon::Testing
