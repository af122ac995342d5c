// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_Exercise.hpp>

#include <stdexcept>

namespace Koinon::Testing {

Exercise::~Exercise() = default;

Exercises const& exercises() {
  static Exercises const all = [] {
    Exercises made;
#include <generated/Koinon_ExerciseList.hpp>
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
