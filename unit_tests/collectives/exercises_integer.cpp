// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_ReductionOf.hpp>

#include <cstdint>

namespace Koinon::Testing {

void add_integer_exercises(Exercises& to) {
  using namespace Koinon;
  add_reductions<std::int8_t, Min>(to);
  add_reductions<std::uint8_t, BXor>(to);
  add_reductions<std::int16_t, Prod>(to);
  add_reductions<std::uint16_t, Average>(to);
  add_reductions<bool, LAnd, LOr>(to);
}

}  // namespace Koinon::Testing
