// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_MakeExercise.hpp>

#include <stdexcept>

namespace Koinon::Perf {

std::unique_ptr<Exercise> make_exercise(Case const& what, PerfCommunicator const& comm) {
#define KOINON_PERF_MAKE(name) \
  if (what.type == ElementType::name) return make_typed_exercise<ElementType::name>(what, comm);
  KOINON_PERF_FOR_EACH_TYPE(KOINON_PERF_MAKE)
#undef KOINON_PERF_MAKE
  throw std::invalid_argument("not an element type of this build");
}

}  // namespace Koinon::Perf
