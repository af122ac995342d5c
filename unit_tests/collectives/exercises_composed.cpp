// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_ReductionOf.hpp>

#include <cstdint>

namespace Koinon::Testing {

void add_composed_exercises(Exercises& to) {
  using namespace Koinon;
  add_reductions<Impl::Complex<float>, Sum, Prod>(to);
  add_reductions<Impl::Complex<double>, Average>(to);
  to.push_back(std::make_unique<ReductionOf<ValueLocation<float, std::int32_t>, MinLoc> const>("float_minloc"));
  to.push_back(std::make_unique<ReductionOf<ValueLocation<double, std::int64_t>, MaxLoc> const>("double_maxloc"));
}

}  // namespace Koinon::Testing
