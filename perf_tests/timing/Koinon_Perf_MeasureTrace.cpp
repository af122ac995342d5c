// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Measure.hpp>
#include <Koinon_Perf_MeasureQueued.hpp>
#include <Koinon_Perf_Side.hpp>

#include <chrono>

namespace Koinon::Perf {

namespace {

/// Replays whole steps on the exercises of their calls.
class Replay {
 public:
  Replay(TraceStep const& step, std::vector<std::unique_ptr<Exercise>> const& exercises)
      : m_step(step), m_exercises(exercises) {}

  /// Returns the wrong elements on this rank of one step.
  std::uint64_t check(Side const& side) {
    std::uint64_t wrong = 0;
    for (auto const index : m_step.order) wrong += checked_call(*m_exercises[index], side.calls[index], m_iteration++);
    return wrong;
  }

  double run(Side const& side, std::size_t steps) {
    return timed(steps, [&](std::size_t index) {
      m_exercises[index]->rewrite(m_iteration++);
      side.calls[index]();
    });
  }

  double run_rewriting(std::size_t steps) {
    return timed(steps, [&](std::size_t index) { m_exercises[index]->rewrite(m_iteration++); });
  }

 private:
  template <class Do>
  double timed(std::size_t steps, Do const& one_call) {
    auto const begin = std::chrono::steady_clock::now();
    for (std::size_t step = 0; step < steps; ++step)
      for (auto const index : m_step.order) one_call(index);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  TraceStep const& m_step;
  std::vector<std::unique_ptr<Exercise>> const& m_exercises;
  std::size_t m_iteration = 0;
};

}  // namespace

Result measure_step(Bench const& bench, TraceStep const& step, std::vector<Case> const& cases) {
  Result result;
  result.step = step.name;
  result.calls = step.order.size();
  result.bytes = step.bytes();
  result.ranks = bench.ranks.size();
  result.algorithm = cases.front().algorithm;
  result.transport = cases.front().transport;
  result.placement = cases.front().placement;
  result.in_place = cases.front().in_place;
  result.dependent_launch = cases.front().dependent_launch;
  result.early_trigger = cases.front().early_trigger;
  std::vector<std::unique_ptr<Exercise>> exercises;
  for (auto const& what : cases) exercises.push_back(bench.subject.make_exercise(what));
  auto sides = make_sides(bench, cases, exercises);
  Replay replay(step, exercises);
  if (bench.queue != nullptr) {
    for (auto& side : sides)
      if (bench.check && side.refusal.empty()) side.wrong += replay.check(side);
    std::vector<bool> repeatable;
    for (auto const& what : cases) repeatable.push_back(what.is_repeatable());
    measure_queued(bench, {exercises, step.order, repeatable}, sides, result);
    return result;
  }
  std::vector<Batch> batches{[&](std::size_t steps) { return replay.run_rewriting(steps); }};
  for (auto& side : sides) {
    if (!side.refusal.empty()) continue;
    if (bench.check) side.wrong += replay.check(side);
    batches.emplace_back([&](std::size_t steps) { return replay.run(side, steps); });
  }
  time_sides(bench, sides, batches, result);
  sum_wrong(bench, sides, result);
  return result;
}

}  // namespace Koinon::Perf
