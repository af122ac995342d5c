// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::RmsNorm: scale is missing
#include <Koinon_AllReduce.hpp>

using Policy = Koinon::CollectivePolicy<Koinon::HostThread>;
using Row = Policy::row_type;

void call(Policy const& policy, Koinon::Array<float, 2> const& a, std::span<float> weight,
          Koinon::Array<Koinon::float8_e4m3, 2> const& quantized) {
  Koinon::all_reduce(policy, a, Koinon::RmsNorm{.weight = weight, .quantized_out = quantized});
}
