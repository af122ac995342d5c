// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Candidates.hpp>
#include <Koinon_Perf_Tune.hpp>

#include <algorithm>
#include <limits>

namespace Koinon::Perf {

namespace {

constexpr double noise = 1.02;    // of times, and so of what changes a table from one size to the next
constexpr double hopeless = 1.5;  // how much slower than the fastest an algorithm's geometries are not tried any more

struct Trial {
  Tuning tuning;
  double private_us = std::numeric_limits<double>::infinity();
  double symmetric_us = std::numeric_limits<double>::infinity();
  double product() const { return private_us * symmetric_us; }
};

bool is_faster(Trial const& a, Trial const& b) {
  return a.product() < b.product();
}

}  // namespace

Tuned tune_case(Bench const& bench, Case const& what, Device device, Tuning const& before) {
  Tuned result;
  std::vector<Trial> trials;
  auto const time = [&](Tuning const& tuning, Placement placement) {
    auto one = what;
    one.placement = placement;
    one.tuning = tuning;
    auto const measured = measure_case(bench, one);
    result.wrong += measured.wrong;
    return measured.refusal.empty() ? measured.time.median : std::numeric_limits<double>::infinity();
  };
  auto const attempt = [&](Tuning const& tuning) {
    Trial trial{tuning, time(tuning, Placement::private_memory)};
    if (trial.private_us < std::numeric_limits<double>::infinity())
      trial.symmetric_us = time(tuning, Placement::symmetric);
    trials.push_back(trial);
  };
  result.automatic_private_us = time({}, Placement::private_memory);
  result.automatic_symmetric_us = time({}, Placement::symmetric);
  for (auto const& candidate : algorithm_candidates(what.algorithm)) attempt(candidate);
  auto const first = trials;
  auto const fastest = std::min_element(first.begin(), first.end(), is_faster)->product();
  for (auto const& trial : first)
    if (trial.product() <= fastest * hopeless * hopeless)
      for (auto const& candidate : geometry_candidates(device, trial.tuning.algorithm)) attempt(candidate);
  auto best = *std::min_element(trials.begin(), trials.end(), is_faster);
  for (auto const& trial : trials)
    if (trial.tuning == before && trial.product() <= best.product() * noise * noise) best = trial;
  result.tuning = best.tuning;
  result.private_us = best.private_us;
  result.symmetric_us = best.symmetric_us;
  return result;
}

}  // namespace Koinon::Perf
