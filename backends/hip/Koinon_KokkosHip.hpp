// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_HipBackend.hpp>
#include <Koinon_PolicyTraits.hpp>

#include <Kokkos_Core.hpp>

namespace Koinon {

template <>
inline constexpr bool is_execution_space_v<Kokkos::HIP> = true;

/// Maps an instance of Kokkos::HIP: launches go to its stream.
template <>
struct ExecutionSpaceTraits<Kokkos::HIP> {
  using backend = Impl::HipBackend;
  static Impl::HipInstance instance(Kokkos::HIP const& space) {
    return Impl::instance_of(space.hip_stream(), space.hip_device());
  }
  static Impl::BackendFacts facts(Kokkos::HIP const& space) { return Impl::HipBackend::facts(instance(space)); }
};

}  // namespace Koinon
