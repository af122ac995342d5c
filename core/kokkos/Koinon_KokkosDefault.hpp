// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_PolicyTraits.hpp>

#include <Kokkos_Core.hpp>

namespace Koinon {

template <>
struct DefaultExecutionSpace<void> {
  using type = Kokkos::DefaultExecutionSpace;
};

}  // namespace Koinon
