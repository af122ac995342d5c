// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

namespace Koinon::Perf {

/// What remains of repeated measurements.
struct Summary {
  double median = 0;
  double minimum = 0;
  double maximum = 0;

  /// (maximum - minimum) / median: how far the repetitions lie apart.
  double spread() const { return median > 0 ? (maximum - minimum) / median : 0; }
};

/// Returns median, minimum and maximum; of an even number of samples the median is the mean of the two in the middle.
/// @pre samples is not empty
Summary summarize(std::vector<double> samples);

}  // namespace Koinon::Perf
