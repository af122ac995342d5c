// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: `out` has const elements
#include <Koinon_Core.hpp>

using Policy = Koinon::CollectivePolicy<Koinon::HostThread>;

void call(Policy const& policy, Kokkos::View<int const*, Kokkos::HostSpace> array) {
  Koinon::all_reduce(policy, array, array);
}
