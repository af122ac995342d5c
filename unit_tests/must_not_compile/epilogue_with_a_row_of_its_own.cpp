// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon: a row epilogue is called as f.row., const
#include <Koinon_AllReduce.hpp>

using Policy = Koinon::CollectivePolicy<Koinon::HostThread>;
using Row = Policy::row_type;

void call(Policy const& policy, Koinon::Array<float, 2> const& a) {
  Koinon::all_reduce(policy, a, Koinon::row_epilogue([=](Row) {}));
}
