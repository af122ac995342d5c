// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_MeasureQueued.hpp>

#include <functional>
#include <utility>

namespace Koinon::Perf {

namespace {

/// One side's batches on a queue.
class QueuedSide {
 public:
  QueuedSide(Bench const& bench, QueuedCalls const& calls, Side& side)
      : m_bench(bench), m_calls(calls), m_side(side), m_work(bench.queue->prepare(enqueue(), bench.graph)) {}

  /// Returns the seconds of that many iterations, from one run of the batch.
  double run(std::size_t iterations) {
    auto const first = m_iteration;
    for (auto const& exercise : m_calls.exercises) {
      exercise->spoil();
      exercise->rewrite(m_iteration++);
    }
    auto const times = m_work->run();
    auto const calls = static_cast<double>(m_bench.timing.iterations * m_calls.order.size());
    m_host_samples.push_back(times.host_seconds * 1e6 / calls);
    for (std::size_t i = 0; m_bench.check && i < m_calls.exercises.size(); ++i)
      if (m_calls.repeatable[i]) m_side.wrong += m_calls.exercises[i]->count_wrong(first + i);
    return times.seconds * static_cast<double>(iterations) / static_cast<double>(m_bench.timing.iterations);
  }

  /// Returns the host's microseconds a call, on the rank where they are the most. Collective.
  double host_microseconds() const { return m_bench.ranks.maximum(summarize(m_host_samples).median); }

 private:
  std::function<void()> enqueue() const {
    return [&side = m_side, &order = m_calls.order, iterations = m_bench.timing.iterations] {
      for (std::size_t i = 0; i < iterations; ++i)
        for (auto const index : order) side.calls[index]();
    };
  }

  Bench const& m_bench;
  QueuedCalls const& m_calls;
  Side& m_side;
  std::unique_ptr<DeviceWork> m_work;
  std::vector<double> m_host_samples;
  std::size_t m_iteration = 0;
};

}  // namespace

void measure_queued(Bench const& bench, QueuedCalls const& calls, std::vector<Side>& sides, Result& result) {
  std::vector<std::unique_ptr<QueuedSide>> queued;
  auto rewriting = bench.queue->prepare(
      [&] {
        for (auto const& exercise : calls.exercises) exercise->rewrite(0);
      },
      bench.graph);
  // One rewriting of all inputs, whatever the number of iterations.
  std::vector<Batch> batches{
      [&](std::size_t iterations) { return rewriting->run().seconds * static_cast<double>(iterations); }};
  for (auto& side : sides) {
    queued.push_back(side.refusal.empty() ? std::make_unique<QueuedSide>(bench, calls, side) : nullptr);
    if (queued.back()) batches.emplace_back([&own = *queued.back()](std::size_t count) { return own.run(count); });
  }
  time_sides(bench, sides, batches, result);
  sum_wrong(bench, sides, result);
  for (std::size_t s = 0; s < sides.size(); ++s) {
    auto const host = queued[s] ? queued[s]->host_microseconds() : 0;
    (s == 0 ? result.host : result.rivals[s - 1].host) = host;
  }
  result.device = Device::cuda;
  result.graph = bench.graph;
  // Ending a graph may wait for the device: until all have, nobody enqueues what waits for a peer.
  queued.clear();
  rewriting.reset();
  bench.ranks.barrier();
}

}  // namespace Koinon::Perf
