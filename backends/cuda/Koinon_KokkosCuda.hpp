// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaBackend.hpp>
#include <Koinon_PolicyTraits.hpp>

#include <Kokkos_Core.hpp>

namespace Koinon {

template <>
inline constexpr bool is_execution_space_v<Kokkos::Cuda> = true;

/// Maps an instance of Kokkos::Cuda: launches go to its stream.
template <>
struct ExecutionSpaceTraits<Kokkos::Cuda> {
  using backend = Impl::CudaBackend;
  static Impl::CudaInstance instance(Kokkos::Cuda const& space) {
    return Impl::instance_of(space.cuda_stream(), space.cuda_device());
  }
  static Impl::BackendFacts facts(Kokkos::Cuda const& space) { return Impl::CudaBackend::facts(instance(space)); }
};

}  // namespace Koinon
