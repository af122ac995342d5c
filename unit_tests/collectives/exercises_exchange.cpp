// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_ExchangeOf.hpp>
#include <collectives/Koinon_LargeTypes.hpp>

namespace Koinon::Testing {

void add_exchange_exercises(Exercises& to) {
  to.push_back(std::make_unique<ExchangeOf<Koinon::bfloat16> const>("exchange_bfloat16"));
  to.push_back(std::make_unique<ExchangeOf<Rgb> const>("exchange_rgb"));
  to.push_back(std::make_unique<ExchangeOf<Huge> const>("exchange_huge"));
}

}  // namespace Koinon::Testing
