// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Measure.hpp>
#include <Koinon_Tuning.hpp>

#include <cstdint>
#include <vector>

namespace Koinon::Perf {

/// Is the fastest way found for one case, and what the library takes by itself. Times in microseconds; infinite ones are of
/// what was refused, and where nothing ran.
struct Tuned {
  Tuning tuning;
  double private_us = 0;    ///< of private arrays
  double symmetric_us = 0;  ///< of symmetric ones
  double automatic_private_us = 0;
  double automatic_symmetric_us = 0;
  std::uint64_t wrong = 0;  ///< elements, of all ways that were tried
};

/// Tries each algorithm, then the geometries of those that are within half of the fastest, with private and with
/// symmetric arrays: a tuning does not know which. The least product of both times wins, the same on every rank; the
/// winner of the size before stays unless another one is faster by more than the noise. Collective.
/// @param before of the next smaller size; states nothing for the first
Tuned tune_case(Bench const& bench, Case const& what, Device device, Tuning const& before);

}  // namespace Koinon::Perf
