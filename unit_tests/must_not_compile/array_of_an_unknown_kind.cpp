// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: ArrayLike
#include <Koinon_AllReduce.hpp>

#include <vector>

using Policy = Koinon::CollectivePolicy<Koinon::HostThread>;

// A vector is not an array that refers to memory: its owner must say std::span.
void call(Policy const& policy, std::vector<int>& data) {
  Koinon::all_reduce(policy, data, data);
}
