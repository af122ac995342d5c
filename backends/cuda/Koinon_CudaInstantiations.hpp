// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaBackend.hpp>
#include <collectives/Koinon_Instantiations.hpp>

#if defined(KOINON_ENABLE_INSTANTIATIONS) && !defined(KOINON_CUDA_INSTANTIATES)
namespace Koinon::Impl {
KOINON_INSTANTIATE_REDUCTIONS(extern template, CudaBackend, Sum)
KOINON_INSTANTIATE_REDUCTIONS(extern template, CudaBackend, Min)
KOINON_INSTANTIATE_REDUCTIONS(extern template, CudaBackend, Max)
KOINON_INSTANTIATE_MOVES(extern template, CudaBackend)
KOINON_INSTANTIATE_MULTIPLE_SUMS(extern template, CudaBackend)
}  // namespace Koinon::Impl
#endif
