// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_LargeTypes.hpp>
#include <collectives/Koinon_MoveOf.hpp>

namespace Koinon::Testing {

void add_move_wide_exercises(Exercises& to) {
  to.push_back(std::make_unique<MoveOf<double> const>("move_double"));
  to.push_back(std::make_unique<MoveOf<Koinon::Impl::Complex<double>> const>("move_complex_double"));
  to.push_back(std::make_unique<MoveOf<Wide> const>("move_wide"));
  to.push_back(std::make_unique<MoveOf<Huge> const>("move_huge"));
}

}  // namespace Koinon::Testing
