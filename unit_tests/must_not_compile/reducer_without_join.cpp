// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon: a reducer must have join.a, b. const for the element type
#include <Koinon_AllReduce.hpp>

using Policy = Koinon::CollectivePolicy<Koinon::HostThread>;

// join is not const: kernels hold the reducer by value and call it through a const reference.
struct Count {
  int calls = 0;
  void init(int& value) const { value = 0; }
  int join(int a, int b) { return ++calls, a + b; }
};

void call(Policy const& policy, std::span<int> data) {
  Koinon::all_reduce(policy, data, data, Count{});
}
