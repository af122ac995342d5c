// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::RmsNorm: norm_out is missing
#include <Koinon_AllReduce.hpp>

using Policy = Koinon::CollectivePolicy<Koinon::HostThread>;
using Row = Policy::row_type;

void call(Policy const& policy, Koinon::Array<float, 2> const& a, std::span<float> weight) {
  Koinon::all_reduce(policy, a, Koinon::RmsNorm{.weight = weight, .residual_out = a});
}
