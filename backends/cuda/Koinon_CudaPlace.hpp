// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The driver's own type, declared so that users' plain C++ files need no header of the toolkit.
struct CUctx_st;

namespace Koinon::Impl {

/// Says where a rank launches: the context, and its device by the driver's number in this process.
struct CudaPlace {
  int device = 0;
  CUctx_st* context = nullptr;
};

}  // namespace Koinon::Impl
