// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::symmetric_view: the communicator's space cannot access the View's memory space
#include "FarSpace.hpp"

void call(Koinon::Communicator<Kokkos::DefaultHostExecutionSpace> const& comm) {
  auto view = Koinon::symmetric_view<int*, FarSpace>("far", comm, 10);
}
