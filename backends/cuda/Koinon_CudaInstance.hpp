// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaPlace.hpp>
#include <Koinon_Export.hpp>

struct CUstream_st;

namespace Koinon::Impl {

/// Is what a launch runs on: where, and in which order.
struct CudaInstance : CudaPlace {
  CUstream_st* stream = nullptr;
};

/// Returns the instance of a stream. Throws InvalidArgument for a stream that is none. @param device of the runtime
KOINON_EXPORT CudaInstance instance_of(CUstream_st* stream, int device);

}  // namespace Koinon::Impl
