// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CoreWithoutMpi.hpp>

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#if defined(KOINON_ENABLE_KOKKOS)
#include <Kokkos_Core.hpp>
#endif
#if defined(KOINON_TEST_CUDA)
#include <support/Koinon_CudaSpace.hpp>
#elif defined(KOINON_TEST_HIP)
#include <support/Koinon_HipSpace.hpp>
#endif

/// The execution spaces that the matrix runs on.
namespace Koinon::Testing {

/// Is several blocks a rank without Kokkos: the host's team as an instance of the tests.
template <int Threads>
struct TeamOf {};

}  // namespace Koinon::Testing

namespace Koinon {

template <int Threads>
inline constexpr bool is_execution_space_v<Koinon::Testing::TeamOf<Threads>> = true;

template <int Threads>
struct ExecutionSpaceTraits<Koinon::Testing::TeamOf<Threads>> {
  using backend = Impl::HostBackend;
  static Impl::HostTeam instance(Koinon::Testing::TeamOf<Threads> const&) { return {.threads = Threads}; }
  static Impl::BackendFacts facts(Koinon::Testing::TeamOf<Threads> const&) {
    return Impl::HostBackend::facts(Impl::HostTeam{.threads = Threads});
  }
};

}  // namespace Koinon

namespace Koinon::Testing {

/// Makes an instance of a space for one rank. Kokkos's default instance is one for the process: ranks would share it.
template <class Space>
Space make_space() {
#if defined(KOINON_ENABLE_KOKKOS) && defined(KOKKOS_ENABLE_OPENMP)
  if constexpr (std::is_same_v<Space, Kokkos::OpenMP>) return Kokkos::OpenMP(2);
#endif
  return Space();
}

/// Is a list of types: a backend joins all tests of the matrix by one line here.
template <class... Spaces>
struct SpaceList {
  using Communicators = std::variant<Koinon::Communicator<Spaces>...>;
  using Policies = std::variant<decltype(Koinon::CollectivePolicy(
      std::declval<Spaces const&>(), std::declval<Koinon::Communicator<Spaces> const&>()))...>;
  static constexpr int count = static_cast<int>(sizeof...(Spaces));

  /// Returns the place of a space in the list.
  template <class Space>
  static constexpr int index_of() {
    int at = 0;
    int found = -1;
    ((found = std::is_same_v<Space, Spaces> ? at : found, ++at), ...);
    return found;
  }

  /// Calls f(space) with an instance of the index-th space.
  template <class F>
  static void with(int index, F&& f) {
    int at = 0;
    ((at++ == index ? (f(make_space<Spaces>()), 0) : 0), ...);
  }
};

#if defined(KOINON_TEST_CUDA)
/// The programs of a vendor's area run the same matrix on a GPU, or what stands for one.
using HostSpaces = SpaceList<EmulatedCudaStream>;
#elif defined(KOINON_TEST_HIP)
using HostSpaces = SpaceList<HeldHipStream>;
#else
using HostSpaces = SpaceList<
#if defined(KOINON_ENABLE_KOKKOS) && defined(KOKKOS_ENABLE_OPENMP)
    Kokkos::OpenMP,
#endif
    Koinon::HostThread, TeamOf<3>>;
#endif

using AnyCommunicator = HostSpaces::Communicators;
using AnyPolicy = HostSpaces::Policies;
template <class Policy>
using BackendOf = typename ExecutionSpaceTraits<typename Policy::execution_space>::backend;

/// Keeps what the spaces need alive while tests run.
class SpacesGuard {
#if defined(KOINON_ENABLE_KOKKOS) && defined(KOKKOS_ENABLE_CUDA)
 public:
  /// Without a GPU Kokkos would end the program, and there is nothing to run.
  SpacesGuard() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) == cudaSuccess) m_kokkos.emplace();
  }

 private:
  std::optional<Kokkos::ScopeGuard> m_kokkos;
#elif defined(KOINON_ENABLE_KOKKOS)
  Kokkos::ScopeGuard m_kokkos;
#endif
};

}  // namespace Koinon::Testing
