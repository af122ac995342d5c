// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_ReductionOf.hpp>

#include <cstdint>

namespace Koinon::Testing {

void add_bfloat16_exercises(Exercises& to) {
  using namespace Koinon;
  add_reductions<bfloat16, Sum, Prod, Min, Max, Average>(to);
}

}  // namespace Koinon::Testing
