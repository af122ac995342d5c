// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon: kernels of AMD GPUs take 4096 bytes of arguments
#include <Koinon_AllReduce.hpp>
#include <Koinon_HipBackend.hpp>

// Compiled with DOUBLES that exceed what a kernel takes, and with some that do not.
struct ByTable {
  double table[DOUBLES];
  KOINON_INLINE_FUNCTION void init(int& value) const { value = 0; }
  KOINON_INLINE_FUNCTION int join(int a, int b) const { return table[a % DOUBLES] < table[b % DOUBLES] ? a : b; }
};

void call(Koinon::CollectivePolicy<Koinon::HipStream> const& policy, Koinon::Array<int, 1> const& a,
          ByTable const& reducer) {
  Koinon::all_reduce(policy, a, a, reducer);
}
