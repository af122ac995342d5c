// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define KOINON_HOST_INSTANTIATES
#include <Koinon_HostInstantiations.hpp>

namespace Koinon::Impl {
KOINON_HOST_REDUCTIONS(template KOINON_EXPORT, Min)
}  // namespace Koinon::Impl
