// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define KOINON_CUDA_INSTANTIATES
#include <Koinon_CudaInstantiations.hpp>

namespace Koinon::Impl {
KOINON_INSTANTIATE_REDUCTIONS(template KOINON_EXPORT, CudaBackend, Sum)
KOINON_INSTANTIATE_MULTIPLE_SUMS(template KOINON_EXPORT, CudaBackend)
}  // namespace Koinon::Impl
