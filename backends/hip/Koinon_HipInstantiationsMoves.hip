// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define KOINON_HIP_INSTANTIATES
#include <Koinon_HipInstantiations.hpp>

namespace Koinon::Impl {
KOINON_INSTANTIATE_MOVES(template KOINON_EXPORT, HipBackend)
}  // namespace Koinon::Impl
