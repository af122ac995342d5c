// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::prefer: a guarantee changes results
#include "MockSpace.hpp"

auto call(Koinon::CollectivePolicy<> const& policy) {
  return Koinon::prefer(policy, Koinon::Deterministic{});
}
