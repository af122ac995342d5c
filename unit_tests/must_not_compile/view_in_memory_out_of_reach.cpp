// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon: the policy's execution space cannot access the memory space of this View
#include "FarSpace.hpp"

using Far = Kokkos::View<int*, FarSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

void call(Koinon::CollectivePolicy<Kokkos::DefaultHostExecutionSpace> const& policy, Far const& far) {
  Koinon::all_reduce(policy, far, far);
}
