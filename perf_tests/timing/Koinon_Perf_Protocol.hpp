// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_RankGroup.hpp>
#include <Koinon_Perf_Statistics.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace Koinon::Perf {

/// Does the work that many times and returns this rank's seconds from before the first to after the last.
using Batch = std::function<double(std::size_t iterations)>;

struct TimingSettings {
  std::size_t repetitions = 7;
  std::size_t iterations = 0;   ///< in a batch; 0: as many as fill batch_seconds
  double batch_seconds = 0.03;  ///< thousands of small calls, yet shorter than what a scheduler takes away
  std::size_t most_iterations = 200'000;
};

/// Measures batches in turns, so that noise of the machine hits all of them alike.
/// Warms each of them up untimed, agrees on its iterations, then repeats {barrier; batch; maximum over ranks}.
/// @pre every rank calls with the same settings and as many batches, each doing the same
/// @post result[i] summarizes the microseconds of one iteration of batches[i], the same on every rank
std::vector<Summary> measure_in_turns(RankGroup& ranks, std::vector<Batch> const& batches,
                                      TimingSettings const& settings);

}  // namespace Koinon::Perf
