// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Case.hpp>
#include <Koinon_Perf_Neighbour.hpp>
#include <Koinon_Perf_Place.hpp>
#include <Koinon_Perf_Protocol.hpp>
#include <Koinon_Perf_Result.hpp>
#include <Koinon_Perf_Rival.hpp>
#include <Koinon_Perf_Trace.hpp>

#include <memory>
#include <vector>

namespace Koinon::Perf {

/// What a measurement needs besides the case.
struct Bench {
  Subject& subject;
  DeviceQueue* queue;  ///< null: calls are done when they return
  RankGroup& ranks;
  std::vector<std::unique_ptr<Rival>> const& rivals;
  TimingSettings timing;
  bool check = true;
  bool graph = false;
  int load = 0;                    ///< what --load says, on every rank
  Neighbour* neighbour = nullptr;  ///< null where another rank of the host or GPU has it
};

/// Checks and times one case: Koinon and all rivals on the same arrays, in turns. Collective.
/// @post times are of {rewrite the input; call}; rewrite is of the first half alone. Of a queue they are of the call by
///       the device's clock, in batches of settings.iterations with the input rewritten before each
Result measure_case(Bench const& bench, Case const& what);

/// Checks every call of a step once, then times whole steps: Koinon's and all rivals', in turns. Collective.
/// @param cases one for each entry of step.calls
Result measure_step(Bench const& bench, TraceStep const& step, std::vector<Case> const& cases);

}  // namespace Koinon::Perf
