// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Case.hpp>
#include <Koinon_Perf_Exercise.hpp>

#include <cuda_runtime_api.h>

namespace Koinon::Perf {

/// Enqueues the norm of rows that are reduced already, as a kernel of its own: what a program does behind its NCCL.
/// @pre what.norm != Norm::none; the rows are at reduced_in_output
void launch_norm(Case const& what, Arrays const& arrays, int rank, cudaStream_t stream);

}  // namespace Koinon::Perf
