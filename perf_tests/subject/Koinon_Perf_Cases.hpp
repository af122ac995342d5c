// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Case.hpp>
#include <Koinon_Perf_Options.hpp>
#include <Koinon_Perf_Trace.hpp>

#include <vector>

namespace Koinon::Perf {

/// Returns the cases that a command line asks for, one a row of the table.
/// @throws UsageError when a list does not fit the ranks, or no size fits a whole row
std::vector<Case> cases_of(Options const& options, int ranks);

/// Returns the case of one call of a trace, with the placement and the traits of the command line.
Case case_of(TraceCall const& call, Options const& options, int ranks);

}  // namespace Koinon::Perf
