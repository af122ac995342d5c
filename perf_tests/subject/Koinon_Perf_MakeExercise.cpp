// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_MakeExercise.hpp>

#include <stdexcept>

namespace Koinon::Perf {

std::unique_ptr<Exercise> make_exercise(Case const& what, PerfCommunicator const& comm) {
  switch (what.type) {
    case ElementType::f32: return make_typed_exercise<ElementType::f32>(what, comm);
    case ElementType::f64: return make_typed_exercise<ElementType::f64>(what, comm);
    case ElementType::i32: return make_typed_exercise<ElementType::i32>(what, comm);
    case ElementType::u32: return make_typed_exercise<ElementType::u32>(what, comm);
    case ElementType::i64: return make_typed_exercise<ElementType::i64>(what, comm);
    case ElementType::u64: return make_typed_exercise<ElementType::u64>(what, comm);
    case ElementType::f16: return make_typed_exercise<ElementType::f16>(what, comm);
    case ElementType::bf16: return make_typed_exercise<ElementType::bf16>(what, comm);
    case ElementType::f8_e4m3: return make_typed_exercise<ElementType::f8_e4m3>(what, comm);
    case ElementType::f8_e5m2: return make_typed_exercise<ElementType::f8_e5m2>(what, comm);
  }
  throw std::invalid_argument("not an element type");
}

}  // namespace Koinon::Perf
