// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Case.hpp>
#include <Koinon_Perf_Exercise.hpp>

namespace Koinon::Perf {

/// Returns MPI's call for an exchange: MPI_Alltoall where all pieces are equal and have no gaps, MPI_Alltoallv where they
/// are unequal, MPI_Allgather with a derived type for columns of one width, else MPI_Alltoallw with derived types.
/// @pre is_exchange(what.operation); the arrays outlive the call
Call mpi_exchange_call(Case const& what, Arrays const& arrays, int rank, int size);

}  // namespace Koinon::Perf
