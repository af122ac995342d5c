// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_HostBackend.hpp>
#include <collectives/Koinon_Instantiations.hpp>

#if defined(KOINON_ENABLE_INSTANTIATIONS) && !defined(KOINON_HOST_INSTANTIATES)
namespace Koinon::Impl {
KOINON_INSTANTIATE_REDUCTIONS(extern template, HostBackend, Sum)
KOINON_INSTANTIATE_REDUCTIONS(extern template, HostBackend, Min)
KOINON_INSTANTIATE_REDUCTIONS(extern template, HostBackend, Max)
KOINON_INSTANTIATE_MOVES(extern template, HostBackend)
KOINON_INSTANTIATE_MULTIPLE_SUMS(extern template, HostBackend)
}  // namespace Koinon::Impl
#endif
