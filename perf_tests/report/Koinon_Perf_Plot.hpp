// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Result.hpp>

#include <string>

namespace Koinon::Perf {

/// Returns an SVG picture of time over bytes, both logarithmic: one line for Koinon, one for each rival.
/// Rows without bytes or that did not run are left out.
std::string plot_svg(Report const& report);

}  // namespace Koinon::Perf
