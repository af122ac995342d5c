// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Case.hpp>
#include <Koinon_Perf_Exercise.hpp>

#include <nccl.h>

namespace Koinon::Perf {

/// @throws std::runtime_error that says what NCCL could not do
void require_nccl(ncclResult_t result, char const* step);

/// Returns shards_to_rows as NCCL's users write it: a group of sends and receives, and a kernel that puts the columns of
/// all ranks side by side.
/// @pre what.operation == Operation::shards_to_rows; the arrays outlive the call
Call nccl_shards_to_rows(Case const& what, Arrays const& arrays, int rank, ncclComm_t comm, cudaStream_t stream);

/// Returns an all_gather of arrays with unequal rows, that all begin with this rank's: a group of a broadcast a rank and array.
/// @pre what.operation == Operation::all_gather_multiple; the arrays outlive the call
Call nccl_uneven_members(Case const& what, Arrays const& arrays, int rank, ncclComm_t comm, cudaStream_t stream);

}  // namespace Koinon::Perf
