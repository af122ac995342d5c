// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_ReductionOf.hpp>

#include <cstdint>

namespace Koinon::Testing {

void add_float_exercises(Exercises& to) {
  using namespace Koinon;
  add_reductions<float, Sum, Prod, Min, Average>(to);
}

}  // namespace Koinon::Testing
