// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define KOINON_HIP_INSTANTIATES
#include <Koinon_HipInstantiations.hpp>

namespace Koinon::Impl {
KOINON_INSTANTIATE_REDUCTIONS(template KOINON_EXPORT, HipBackend, Max)
}  // namespace Koinon::Impl
