// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: `in` and `out` have different element types
#include <Koinon_AllReduce.hpp>

using Policy = Koinon::CollectivePolicy<Koinon::HostThread>;

void call(Policy const& policy, std::span<int const> in, std::span<unsigned> out) {
  Koinon::all_reduce(policy, in, out);
}
