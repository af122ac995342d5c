// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define KOINON_HOST_INSTANTIATES
#include <Koinon_HostInstantiations.hpp>

namespace Koinon::Impl {
KOINON_INSTANTIATE_REDUCTIONS(template KOINON_EXPORT, HostBackend, Sum)
KOINON_INSTANTIATE_MULTIPLE_SUMS(template KOINON_EXPORT, HostBackend)
}  // namespace Koinon::Impl
