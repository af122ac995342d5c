// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: no matching function for call to .all_gather_columns
#include <Koinon_AllGatherColumns.hpp>

using Policy = Koinon::CollectivePolicy<Koinon::HostThread>;

void call(Policy const& policy, Koinon::Array<int const, 2> in, Koinon::Array<int, 2> out) {
  Koinon::all_gather_columns(policy, in, out, Koinon::Counts{1, 2});
}
