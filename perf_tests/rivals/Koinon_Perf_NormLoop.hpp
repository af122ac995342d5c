// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Case.hpp>
#include <Koinon_Perf_Exercise.hpp>

namespace Koinon::Perf {

/// Adds the residual and normalizes what was reduced to reduced_in_output, on the host: what a program does behind its MPI.
/// @pre what.norm != Norm::none
void normalize_rows(Case const& what, Arrays const& arrays, int rank);

}  // namespace Koinon::Perf
