// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: no matching function for call to .all_to_all
#include <Koinon_AllToAll.hpp>

using Policy = Koinon::CollectivePolicy<Koinon::HostThread>;

void call(Policy const& policy, std::span<int const> in, std::span<int> out) {
  Koinon::all_to_all(policy, in, out, Koinon::Counts{1, 2});
}
