// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_HostBackend.hpp>
#include <Koinon_PolicyTraits.hpp>

namespace Koinon {

/// Is the instance of codes without Kokkos: the thread that calls.
class HostThread {};

template <>
inline constexpr bool is_execution_space_v<HostThread> = true;

template <>
struct ExecutionSpaceTraits<HostThread> {
  using backend = Impl::HostBackend;
  static Impl::HostTeam instance(HostThread const&) { return {}; }
  static Impl::BackendFacts facts(HostThread const&) { return Impl::HostBackend::facts({}); }
};

#if !defined(KOINON_ENABLE_KOKKOS)
template <>
struct DefaultExecutionSpace<void> {
  using type = HostThread;
};
#endif

}  // namespace Koinon
