// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon: an epilogue is given rows in float
#include <Koinon_AllReduce.hpp>

using Policy = Koinon::CollectivePolicy<Koinon::HostThread>;
using Row = Policy::row_type;

void call(Policy const& policy, Koinon::Array<double, 2> const& a) {
  Koinon::all_reduce(policy, a, Koinon::row_epilogue([=](Row& row) { row.store(a); }));
}
