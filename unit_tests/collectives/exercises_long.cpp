// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_ReductionOf.hpp>

#include <cstdint>

namespace Koinon::Testing {

void add_long_exercises(Exercises& to) {
  using namespace Koinon;
  add_reductions<std::int64_t, Sum, Min>(to);
  add_reductions<std::uint64_t, Max, BOr>(to);
}

}  // namespace Koinon::Testing
