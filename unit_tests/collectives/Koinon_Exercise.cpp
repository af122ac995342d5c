// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_Exercise.hpp>

#include <stdexcept>

namespace Koinon::Testing {

Exercise::~Exercise() = default;

Exercises const& exercises() {
  static Exercises const all = [] {
    Exercises made;
    add_float_exercises(made);
    add_double_exercises(made);
    add_bfloat16_exercises(made);
    add_narrow_exercises(made);
    add_int32_exercises(made);
    add_integer_exercises(made);
    add_long_exercises(made);
    add_composed_exercises(made);
    add_user_exercises(made);
    add_move_exercises(made);
    return made;
  }();
  return all;
}

Exercise const& exercise(std::string_view name) {
  for (auto const& each : exercises()) {
    if (each->name() == name) return *each;
  }
  throw std::logic_error("there is no exercise " + std::string(name));
}

}  // namespace Koinon::Testing
