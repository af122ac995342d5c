// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Measure.hpp>
#include <Koinon_Perf_Side.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace Koinon::Perf {

/// The calls of one iteration: one call, or a step of a trace.
struct QueuedCalls {
  std::vector<std::unique_ptr<Exercise>> const& exercises;
  std::vector<std::size_t> order;  ///< indices into exercises
  std::vector<bool> repeatable;    ///< of each exercise: its result is the same after many calls, so it can be checked
};

/// Times calls on the bench's queue, all sides in turns, in batches of timing.iterations iterations; fills times, wrong
/// elements and the host's part of the result. Before each batch all inputs are rewritten and all outputs spoiled,
/// behind it they are checked. Collective.
/// @pre bench.queue != nullptr, bench.timing.iterations > 0
void measure_queued(Bench const& bench, QueuedCalls const& calls, std::vector<Side>& sides, Result& result);

}  // namespace Koinon::Perf
