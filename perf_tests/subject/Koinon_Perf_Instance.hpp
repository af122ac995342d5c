// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CoreWithoutMpi.hpp>

#if defined(KOINON_ENABLE_KOKKOS)
#include <Kokkos_Core.hpp>
#endif

#include <string>

namespace Koinon::Perf {

#if defined(KOINON_ENABLE_KOKKOS) && defined(KOKKOS_ENABLE_OPENMP)

/// What every rank hands to Koinon: a Kokkos instance with threads of its own.
using Instance = Kokkos::OpenMP;
inline Instance make_instance(int threads) {
  return Kokkos::OpenMP(threads);
}
inline std::string instance_name(int threads) {
  return "Kokkos::OpenMP(" + std::to_string(threads) + ")";
}
inline constexpr bool instance_has_threads = true;

#else

/// What every rank hands to Koinon: its own calling thread.
using Instance = HostThread;
inline Instance make_instance(int) {
  return HostThread{};
}
inline std::string instance_name(int) {
  return "Koinon::HostThread";
}
inline constexpr bool instance_has_threads = false;

#endif

using PerfCommunicator = Communicator<Instance>;

}  // namespace Koinon::Perf
