// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define KOINON_HIP_INSTANTIATES
#include <Koinon_HipInstantiations.hpp>

namespace Koinon::Impl {
KOINON_INSTANTIATE_REDUCTIONS(template KOINON_EXPORT, HipBackend, Sum)
KOINON_INSTANTIATE_MULTIPLE_SUMS(template KOINON_EXPORT, HipBackend)
}  // namespace Koinon::Impl
