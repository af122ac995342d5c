// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon: a View with the Atomic trait cannot be given to a collective
#include <Koinon_Core.hpp>

using Policy = Koinon::CollectivePolicy<Koinon::HostThread>;

using Atomic = Kokkos::View<int*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Atomic>>;

void call(Policy const& policy, Kokkos::View<int*, Kokkos::HostSpace> in, Atomic out) {
  Koinon::all_reduce(policy, in, out);
}
