// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Measure.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace Koinon::Perf {

/// One of those who are measured: Koinon first, then each rival. Some of them cannot do every case.
struct Side {
  std::string name;
  std::string refusal;
  std::vector<Call> calls;  ///< one for each exercise
  std::uint64_t wrong = 0;
};

/// Makes the calls of every side for exercises of these cases. Collective.
std::vector<Side> make_sides(Bench const& bench, std::vector<Case> const& cases,
                             std::vector<std::unique_ptr<Exercise>> const& exercises);

/// Makes one call whose result is looked at, and returns the wrong elements on this rank.
std::uint64_t checked_call(Exercise& exercise, Call const& call, std::size_t iteration);

/// Puts times and wrong elements of all sides into the result.
/// @param batches for each side that has no refusal, in their order; before them the one of the rewriting
void time_sides(Bench const& bench, std::vector<Side> const& sides, std::vector<Batch> const& batches, Result& result);

/// Adds up the wrong elements of all ranks.
void sum_wrong(Bench const& bench, std::vector<Side> const& sides, Result& result);

}  // namespace Koinon::Perf
