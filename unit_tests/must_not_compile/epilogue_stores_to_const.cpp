// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::Row: store takes an array whose elements are not const
#include <Koinon_AllReduce.hpp>

using Policy = Koinon::CollectivePolicy<Koinon::HostThread>;
using Row = Policy::row_type;

void call(Policy const& policy, Koinon::Array<float const, 2> const& a) {
  Koinon::all_reduce(policy, a, Koinon::row_epilogue([=](Row& row) { row.store(a); }));
}
