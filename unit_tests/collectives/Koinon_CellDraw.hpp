// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_Cell.hpp>
#include <support/Koinon_Random.hpp>

namespace Koinon::Testing {

/// Returns the numbers of elements around which an algorithm changes what it does: none, one, two, around a packet, a
/// pack, the low-latency edge, a round of staging, and more than staging holds.
std::vector<std::size_t> edge_counts(Session const& session, Exercise const& exercise);

/// Draws a cell from the whole matrix; the same on every rank whose random numbers are the same.
Cell draw_cell(Session const& session, Exercise const& exercise, Random& random);

}  // namespace Koinon::Testing
