// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Koinon_ModelExplorer.hpp"

#include <functional>
#include <string_view>
#include <vector>

namespace Koinon::Impl {

/// Is a set of sequences and the machine that they run on.
struct Scenario {
  std::string_view name;
  std::string_view about;
  Setting setting;
  int launches = 4;
  int most_blocks = 1;
  std::vector<Kind> kinds{};  ///< empty: all
  std::size_t samples = 0;    ///< sequences drawn from a fixed seed; 0: all of them
  bool reduced = true;        ///< false: also the orders of moves that cannot influence each other
};

/// Lists the scenarios.
std::vector<Scenario> const& scenarios();

/// Runs the scenario's sequences, one of those that a rotation of the ranks makes equal, until the first error.
Outcome run_scenario(Scenario const& scenario, std::size_t most_states);
/// Leaves out launches as long as the sequence still shows an error.
Outcome shortened(Scenario const& scenario, Sequence sequence, std::size_t most_states);
/// Returns the number of sequences that the scenario's menu has, rotations left out or not.
std::size_t sequences_in_all(Scenario const& scenario);

}  // namespace Koinon::Impl
