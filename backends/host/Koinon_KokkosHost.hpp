// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_HostBackend.hpp>
#include <Koinon_PolicyTraits.hpp>
#include <kokkos/Koinon_KokkosArrays.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace Koinon {

namespace Impl {

/// Maps a host execution space of Kokkos: blocks are spread over the instance's threads. Koinon opens its own parallel
/// region, of the calling thread's pool, so that no mutex of the instance is held while a rank waits.
template <class Space>
struct KokkosHostTraits {
  using backend = HostBackend;
  static HostTeam instance(Space const&) { return {}; }
  static BackendFacts facts(Space const& space) {
    BackendFacts facts = HostBackend::facts(HostTeam{space.concurrency()});
    facts.instance_key = reinterpret_cast<std::uintptr_t>(space.impl_internal_space_instance());
    return facts;
  }
};

}  // namespace Impl

#if defined(KOKKOS_ENABLE_SERIAL)
template <>
inline constexpr bool is_execution_space_v<Kokkos::Serial> = true;
template <>
struct ExecutionSpaceTraits<Kokkos::Serial> : Impl::KokkosHostTraits<Kokkos::Serial> {};
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
template <>
inline constexpr bool is_execution_space_v<Kokkos::OpenMP> = true;
template <>
struct ExecutionSpaceTraits<Kokkos::OpenMP> : Impl::KokkosHostTraits<Kokkos::OpenMP> {};
#endif
#if defined(KOKKOS_ENABLE_THREADS)
template <>
inline constexpr bool is_execution_space_v<Kokkos::Threads> = true;
// The calling thread does it all: the pool of Threads is one for the process, and ranks would take turns on it.
template <>
struct ExecutionSpaceTraits<Kokkos::Threads> {
  using backend = Impl::HostBackend;
  static Impl::HostTeam instance(Kokkos::Threads const&) { return {}; }
  static Impl::BackendFacts facts(Kokkos::Threads const&) { return Impl::HostBackend::facts({}); }
};
#endif

}  // namespace Koinon
