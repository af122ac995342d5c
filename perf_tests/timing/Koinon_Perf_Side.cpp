// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Side.hpp>

#include <algorithm>

namespace Koinon::Perf {

namespace {

/// Returns this rank's reason, or that another rank has one: a call is made by all ranks or by none.
std::string agreed(RankGroup& ranks, std::string const& refusal) {
  auto const refused = ranks.any(!refusal.empty());
  return refused && refusal.empty() ? "another rank refuses it" : refusal;
}

}  // namespace

std::vector<Side> make_sides(Bench const& bench, std::vector<Case> const& cases,
                             std::vector<std::unique_ptr<Exercise>> const& exercises) {
  std::vector<Side> sides(1 + bench.rivals.size());
  sides[0].name = "koinon";
  for (std::size_t i = 0; i < cases.size(); ++i) {
    sides[0].refusal = agreed(bench.ranks, exercises[i]->koinon_refusal());
    if (!sides[0].refusal.empty()) break;
    sides[0].calls.push_back(exercises[i]->koinon_call());
  }
  for (std::size_t r = 0; r < bench.rivals.size(); ++r) {
    auto& rival = *bench.rivals[r];
    auto& side = sides[1 + r];
    side.name = rival.name();
    for (std::size_t i = 0; i < cases.size() && side.refusal.empty(); ++i) {
      side.refusal = rival.refusal(cases[i]);
      if (side.refusal.empty()) side.calls.push_back(rival.call_of(cases[i], exercises[i]->arrays()));
    }
  }
  return sides;
}

std::uint64_t checked_call(Exercise& exercise, Call const& call, std::size_t iteration) {
  exercise.spoil();
  exercise.rewrite(iteration);
  exercise.meet();
  call();
  return exercise.count_wrong(iteration);
}

void time_sides(Bench const& bench, std::vector<Side> const& sides, std::vector<Batch> const& batches, Result& result) {
  UnderLoad const from_before_the_first_batch_to_after_the_last(bench.neighbour);
  result.load = bench.load;
  auto const times = measure_in_turns(bench.ranks, batches, bench.timing);
  result.rewrite = times[0].median;
  std::size_t next = 1;
  result.refusal = sides[0].refusal;
  if (result.refusal.empty()) result.time = times[next++];
  for (std::size_t s = 1; s < sides.size(); ++s) {
    RivalResult rival{sides[s].name, sides[s].refusal, {}, 0};
    if (rival.refusal.empty()) rival.time = times[next++];
    result.rivals.push_back(std::move(rival));
  }
}

void sum_wrong(Bench const& bench, std::vector<Side> const& sides, Result& result) {
  result.checked = bench.check;
  result.wrong = bench.ranks.sum(sides[0].wrong);
  for (std::size_t s = 1; s < sides.size(); ++s) result.rivals[s - 1].wrong = bench.ranks.sum(sides[s].wrong);
}

}  // namespace Koinon::Perf
