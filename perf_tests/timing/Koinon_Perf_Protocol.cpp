// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Protocol.hpp>

#include <algorithm>
#include <cmath>

namespace Koinon::Perf {

namespace {

/// Returns the seconds of the slowest rank: the batch has ended when every rank has its result.
double slowest(RankGroup& ranks, Batch const& batch, std::size_t iterations) {
  ranks.barrier();
  return ranks.maximum(batch(iterations));
}

/// Warms up and finds how many iterations fill a batch, from ever longer untimed batches.
std::size_t agree_on_iterations(RankGroup& ranks, Batch const& batch, TimingSettings const& settings) {
  if (settings.iterations != 0) {
    slowest(ranks, batch, std::max<std::size_t>(1, settings.iterations / 10));
    return settings.iterations;
  }
  std::size_t iterations = 1;
  auto seconds = slowest(ranks, batch, iterations);  // the first call maps pages and fills tables: not representative
  do {
    seconds = slowest(ranks, batch, iterations);
    if (seconds >= settings.batch_seconds / 4 || iterations >= settings.most_iterations) break;
    iterations *= 4;
  } while (true);
  auto const fitting = std::ceil(static_cast<double>(iterations) * settings.batch_seconds / std::max(seconds, 1e-9));
  return static_cast<std::size_t>(std::clamp(fitting, 1.0, static_cast<double>(settings.most_iterations)));
}

}  // namespace

std::vector<Summary> measure_in_turns(RankGroup& ranks, std::vector<Batch> const& batches,
                                      TimingSettings const& settings) {
  std::vector<std::size_t> iterations;
  for (auto const& batch : batches) iterations.push_back(agree_on_iterations(ranks, batch, settings));
  std::vector<std::vector<double>> samples(batches.size());
  for (std::size_t repetition = 0; repetition < settings.repetitions; ++repetition) {
    for (std::size_t turn = 0; turn < batches.size(); ++turn) {
      // Every other round goes backwards: nobody is always the one after the same neighbour.
      auto const i = repetition % 2 == 0 ? turn : batches.size() - 1 - turn;
      auto const seconds = slowest(ranks, batches[i], iterations[i]);
      samples[i].push_back(seconds * 1e6 / static_cast<double>(iterations[i]));
    }
  }
  std::vector<Summary> summaries;
  for (auto const& of_batch : samples) summaries.push_back(summarize(of_batch));
  return summaries;
}

}  // namespace Koinon::Perf
