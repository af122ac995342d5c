// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_LargeTypes.hpp>
#include <collectives/Koinon_ReductionOf.hpp>

#include <cstdint>

namespace Koinon::Testing {

void add_user_exercises(Exercises& to) {
  to.push_back(std::make_unique<ReductionOf<Affine, Compose> const>("user_affine"));
  to.push_back(std::make_unique<ReductionOf<Rgb, Brighten> const>("user_rgb"));
  to.push_back(std::make_unique<ReductionOf<Wide, Polynomial> const>("user_wide"));
  to.push_back(std::make_unique<ReductionOf<Huge, SumOfHuge> const>("user_huge"));
  to.push_back(std::make_unique<ReductionOf<Aligned, MaxOfAligned> const>("user_aligned"));
}

}  // namespace Koinon::Testing
