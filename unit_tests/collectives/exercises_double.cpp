// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_ReductionOf.hpp>

#include <cstdint>

namespace Koinon::Testing {

void add_double_exercises(Exercises& to) {
  using namespace Koinon;
  add_reductions<double, Sum, Max, Average>(to);
  add_reductions<std::uint32_t, Max>(to);
}

}  // namespace Koinon::Testing
