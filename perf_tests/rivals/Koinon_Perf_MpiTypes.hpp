// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Names.hpp>

#include <mpi.h>

#include <cstddef>

namespace Koinon::Perf {

/// Returns MPI's type for elements; MPI has no narrow floats, for which it is the unsigned integer of their size.
MPI_Datatype mpi_type(ElementType type);

/// Tells whether MPI itself can reduce the type.
bool has_mpi_type(ElementType type);

/// Returns MPI's operation; for the narrow types one of ours, that computes in float and rounds each step.
/// Average is a sum here.
MPI_Op mpi_op(ElementType type, ReducerName reducer);

/// Divides elements by the number of ranks, in place: what MPI leaves to do for an average.
void divide(ElementType type, void* elements, std::size_t count, int ranks);

}  // namespace Koinon::Perf
