// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::symmetric_array: one extent for each dimension
#include <Koinon_Core.hpp>

void call(Koinon::Communicator<Koinon::HostThread> const& comm) {
  auto array = Koinon::symmetric_array<float, 2>(comm, 10);
}
