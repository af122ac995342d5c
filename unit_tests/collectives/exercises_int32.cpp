// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_ReductionOf.hpp>

#include <cstdint>

namespace Koinon::Testing {

void add_int32_exercises(Exercises& to) {
  using namespace Koinon;
  add_reductions<std::int32_t, Sum, Prod, Min, BAnd, LAnd, Average>(to);
}

}  // namespace Koinon::Testing
