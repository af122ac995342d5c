// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::CollectivePolicy: contradictory traits
// expect: TraitsAgree<Koinon::TwoShot, Koinon::OneShot>
#include "MockSpace.hpp"

auto call(Koinon::CollectivePolicy<Koinon::TwoShot> const& policy) {
  return Koinon::require(policy, Koinon::OneShot{});
}
