// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: `out` has const elements
// expect: call_all_reduce[^_]
// expect: call_all_gather[^_]
// expect: call_reduce_scatter[^_]
// expect: call_reduce[^_]
// expect: call_broadcast[^_]
#include <Koinon_Core.hpp>

using Policy = Koinon::CollectivePolicy<Koinon::HostThread>;
template <class T>
using In = std::span<T>;
template <class T>
using Out = std::span<T const>;

// An element type each: a compiler says the same thing of the same types only once.
void call(Policy const& policy, In<char> c, Out<char> to_c, In<short> s, Out<short> to_s, In<int> i, Out<int> to_i,
          In<long> l, Out<long> to_l, Out<float> to_f) {
  Koinon::all_reduce(policy, c, to_c);
  Koinon::all_gather(policy, s, to_s);
  Koinon::reduce_scatter(policy, i, to_i);
  Koinon::reduce(policy, l, to_l, 0);
  Koinon::broadcast(policy, to_f, 0);
}
