// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_ReductionOf.hpp>

#include <cstdint>

namespace Koinon::Testing {

void add_narrow_exercises(Exercises& to) {
  using namespace Koinon;
  add_reductions<float16, Sum, Max, Average>(to);
  add_reductions<float8_e4m3, Sum>(to);
  add_reductions<float8_e5m2, Average>(to);
}

}  // namespace Koinon::Testing
