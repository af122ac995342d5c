// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Session.hpp>

#include <functional>

namespace Koinon::Perf {

/// Runs use on every rank that the options ask for: threads of this process, or this process as one rank of MPI.
/// What is made for the ranks (Kokkos, MPI) is ended again.
/// @returns the largest result of any rank
int on_every_rank(Options const& options, std::function<int(RankGroup&, Place&)> const& use);

/// Tells whether this process shall print what concerns the whole run. Works before MPI does, by the variables that
/// launchers set.
bool speaks_for_all_processes();

}  // namespace Koinon::Perf
