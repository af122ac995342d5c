// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Options.hpp>
#include <Koinon_Perf_Place.hpp>
#include <Koinon_Perf_RankGroup.hpp>
#include <Koinon_Perf_Result.hpp>
#include <Koinon_Perf_Trace.hpp>

#include <optional>
#include <string>

namespace Koinon::Perf {

/// What every rank has before the measuring begins.
struct Plan {
  Options options;
  std::string command;
  std::optional<Trace> trace;
};

/// Does one rank's part of a run; rank 0 prints the table as it grows. Collective.
/// @returns the report, the same on every rank
/// @throws UsageError on every rank when the plan does not fit the number of ranks
Report run_session(Plan const& plan, RankGroup& ranks, Place& place);

}  // namespace Koinon::Perf
