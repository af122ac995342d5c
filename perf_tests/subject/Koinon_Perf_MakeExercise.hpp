// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Exercise.hpp>
#include <Koinon_Perf_Instance.hpp>

#include <memory>

namespace Koinon::Perf {

/// Makes the arrays of a case. Collective.
/// @pre comm outlives the exercise
std::unique_ptr<Exercise> make_exercise(Case const& what, PerfCommunicator const& comm);

/// The same for one element type: each is compiled in a file of its own, so that they are compiled side by side.
template <ElementType Type>
std::unique_ptr<Exercise> make_typed_exercise(Case const& what, PerfCommunicator const& comm);

}  // namespace Koinon::Perf
