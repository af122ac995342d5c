// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: CollectivePolicy
// expect: Mock::OtherSpace
#include "MockSpace.hpp"

void call(Koinon::Communicator<Mock::OtherSpace>& communicator) {
  Koinon::CollectivePolicy<Koinon::OneShot> policy(Mock::DefaultSpace{}, communicator);
}
