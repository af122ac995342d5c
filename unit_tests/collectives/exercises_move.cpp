// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_MoveOf.hpp>

#include <cstdint>

namespace Koinon::Testing {

void add_move_exercises(Exercises& to) {
  to.push_back(std::make_unique<MoveOf<std::uint8_t> const>("move_uint8"));
  to.push_back(std::make_unique<MoveOf<Koinon::bfloat16> const>("move_bfloat16"));
  to.push_back(std::make_unique<MoveOf<Rgb> const>("move_rgb"));
  to.push_back(std::make_unique<MoveOf<float> const>("move_float"));
}

}  // namespace Koinon::Testing
