// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon: BAnd, BOr and BXor take integers and bool
#include <Koinon_AllReduceMultiple.hpp>

using Policy = Koinon::CollectivePolicy<Koinon::HostThread>;

void call(Policy const& policy, std::span<int> flags, std::span<float> numbers) {
  Koinon::all_reduce_multiple(policy, Koinon::BOr{}, Koinon::member(flags, flags), Koinon::member(numbers, numbers));
}
