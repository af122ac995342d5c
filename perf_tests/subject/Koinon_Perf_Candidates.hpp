// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Names.hpp>
#include <Koinon_Tuning.hpp>

#include <span>
#include <string>
#include <vector>

namespace Koinon::Perf {

/// Returns what --tune tries first: each algorithm with the geometry that the library would take.
/// @param asked the only one, or automatic: all
std::vector<Tuning> algorithm_candidates(Algorithm asked);

/// Returns the geometries that --tune tries for an algorithm: threads of a block, bytes a thread, blocks at most.
std::vector<Tuning> geometry_candidates(Device device, Algorithm algorithm);

/// Writes what a tuning states: "two_shot, block_threads 512".
std::string text_of(Tuning const& tuning);

}  // namespace Koinon::Perf
