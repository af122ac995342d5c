// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_HipBackend.hpp>
#include <collectives/Koinon_Instantiations.hpp>

#if defined(KOINON_ENABLE_INSTANTIATIONS) && !defined(KOINON_HIP_INSTANTIATES)
namespace Koinon::Impl {
KOINON_INSTANTIATE_REDUCTIONS(extern template, HipBackend, Sum)
KOINON_INSTANTIATE_REDUCTIONS(extern template, HipBackend, Min)
KOINON_INSTANTIATE_REDUCTIONS(extern template, HipBackend, Max)
KOINON_INSTANTIATE_MOVES(extern template, HipBackend)
KOINON_INSTANTIATE_MULTIPLE_SUMS(extern template, HipBackend)
}  // namespace Koinon::Impl
#endif
