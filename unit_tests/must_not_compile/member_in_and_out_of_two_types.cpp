// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: `in` and `out` have different element types
#include <Koinon_AllGatherMultiple.hpp>

using Policy = Koinon::CollectivePolicy<Koinon::HostThread>;

void call(Policy const& policy, std::span<int const> in, std::span<int> all, std::span<unsigned> out) {
  Koinon::all_gather_multiple(policy, Koinon::member(in, all), Koinon::member(in, out));
}
