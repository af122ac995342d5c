// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Measure.hpp>
#include <Koinon_Perf_MeasureQueued.hpp>
#include <Koinon_Perf_Side.hpp>

namespace Koinon::Perf {

namespace {

constexpr std::size_t checked_alone = 3;       // one after another, each looked at
constexpr std::size_t calls_before_check = 9;  // back to back, the last one looked at: buffers are used again and again

Result describe(Bench const& bench, Case const& what) {
  Result result;
  result.operation = what.operation;
  result.norm = what.norm;
  result.bytes = what.bytes();
  result.count = what.elements();
  result.type = what.type;
  result.reducer = what.reducer;
  result.ranks = bench.ranks.size();
  result.algorithm = what.algorithm;
  result.transport = what.transport;
  result.placement = what.placement;
  result.in_place = what.in_place;
  result.borrowed = what.borrowed;
  result.dependent_launch = what.dependent_launch;
  result.early_trigger = what.early_trigger;
  return result;
}

/// Returns the wrong elements on this rank. @post iteration counts on
std::uint64_t check(Exercise& exercise, Call const& call, std::size_t& iteration) {
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < checked_alone; ++i) wrong += checked_call(exercise, call, iteration++);
  exercise.meet();
  exercise.run(call, iteration, calls_before_check);
  iteration += calls_before_check;
  return wrong + exercise.count_wrong(iteration - 1);
}

}  // namespace

Result measure_case(Bench const& bench, Case const& what) {
  auto result = describe(bench, what);
  std::vector<std::unique_ptr<Exercise>> exercises;
  exercises.push_back(bench.subject.make_exercise(what));
  auto& exercise = *exercises.front();
  auto sides = make_sides(bench, {what}, exercises);
  std::size_t iteration = 0;
  if (bench.queue != nullptr) {
    for (auto& side : sides)
      if (bench.check && side.refusal.empty()) side.wrong += check(exercise, side.calls[0], iteration);
    measure_queued(bench, {exercises, {0}, {what.is_repeatable()}}, sides, result);
    return result;
  }
  std::vector<Batch> batches{[&](std::size_t iterations) { return exercise.run_rewriting(iteration, iterations); }};
  for (auto& side : sides) {
    if (!side.refusal.empty()) continue;
    if (bench.check) side.wrong += check(exercise, side.calls[0], iteration);
    batches.emplace_back([&](std::size_t iterations) {
      auto const first = iteration;
      iteration += iterations;
      return exercise.run(side.calls[0], first, iterations);
    });
  }
  time_sides(bench, sides, batches, result);
  // Once more after thousands of calls, so that what goes wrong late is seen too.
  for (auto& side : sides)
    if (bench.check && side.refusal.empty()) side.wrong += check(exercise, side.calls[0], iteration);
  sum_wrong(bench, sides, result);
  return result;
}

}  // namespace Koinon::Perf
