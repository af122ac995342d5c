// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Koinon_ModelLaunches.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace Koinon::Impl {

/// Is what the search over one sequence, or over many, found.
struct Outcome {
  std::size_t sequences = 0;
  std::size_t states = 0;
  std::size_t most_states = 0;     ///< of one sequence
  bool limited = false;            ///< some search ended at the limit of states
  std::string error;               ///< of the first sequence that has one
  Sequence sequence;               ///< that sequence
  std::vector<std::string> trace;  ///< its moves, the fewest choices that show the error
};

/// Visits every state that the sequence can reach, nearest first, until an error or `most_states`.
Outcome explore(Setting const& setting, Sequence const& sequence, std::size_t most_states, bool reduced = true);

}  // namespace Koinon::Impl
