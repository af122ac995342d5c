// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CoreWithoutMpi.hpp>
#include <Koinon_Perf_Case.hpp>

namespace Koinon::Perf {

/// Returns the policy of a case: what the command line names is required, all else is Koinon's choice.
template <class Comm>
auto policy_of(Case const& what, Comm const& comm) {
  Tuning tuning = what.tuning;
  if (what.algorithm != Algorithm::automatic) tuning.algorithm = what.algorithm;
  tuning.transport = what.transport;
  if (what.skip_entry_barrier) tuning.entry_barrier = Entry::skip;
  if (what.dependent_launch) tuning.dependent_launch = Switch::on;
  if (what.early_trigger) tuning.early_trigger = Switch::on;
  return require(CollectivePolicy(comm), tuning);
}

}  // namespace Koinon::Perf
