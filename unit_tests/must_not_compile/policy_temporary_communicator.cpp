// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: deleted
// expect: Communicator<
#include "MockSpace.hpp"

Koinon::Communicator<Mock::DefaultSpace> make();

void call() {
  Koinon::CollectivePolicy policy(Mock::DefaultSpace{}, make());
}
