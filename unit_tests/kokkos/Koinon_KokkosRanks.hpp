// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CoreWithoutMpi.hpp>

#include "support/Koinon_RankRunner.hpp"

#include <Kokkos_Core.hpp>

#include <mutex>

namespace Koinon::Testing {

/// Is the space that the tests of Views run on: a GPU's where Kokkos has one.
#if defined(KOKKOS_ENABLE_CUDA)
using KokkosSpace = Kokkos::Cuda;
#else
using KokkosSpace = Kokkos::OpenMP;
#endif

/// Makes an instance that no other rank has. Not while a kernel waits for a peer: Kokkos takes device memory for it.
inline KokkosSpace make_kokkos_space() {
#if defined(KOKKOS_ENABLE_CUDA)
  static std::mutex mutex;  // of Kokkos's lists of instances
  std::lock_guard const lock(mutex);
  return Kokkos::Experimental::partition_space(Kokkos::Cuda(), 1)[0];
#else
  return Kokkos::OpenMP(1);
#endif
}

/// Is a rank of the tests, with an instance of its own, and the way to memory that only its kernels may touch.
///
/// What takes or frees memory, or fences all instances, may wait for a kernel that waits for a peer, and hold up the
/// peer's launch: a case makes its Views first, then calls ready(), copies by store() and loaded(), and ends behind a
/// fence of its instance.
struct KokkosRank {
  Bootstrap& bootstrap;
  KokkosSpace space = make_kokkos_space();
  Communicator<KokkosSpace> comm{space, bootstrap};
  CollectivePolicy<> policy{space, comm};

  explicit KokkosRank(Bootstrap& of_rank) : bootstrap(of_rank) {}

  /// Waits until every rank has the Views of its case.
  void ready() const { bootstrap.barrier(); }

  /// Gives a View, no part of another, what f(mirror) stores into its mirror.
  template <class V, class F>
  void store(V const& view, F const& f) const {
    auto const mirror = Kokkos::create_mirror_view(view);
    f(mirror);
    Kokkos::deep_copy(space, view, mirror);
    space.fence();
  }

  /// Returns what a View, no part of another, holds behind all that the instance was given.
  template <class V>
  [[nodiscard]] auto loaded(V const& view) const {
    auto const mirror = Kokkos::create_mirror_view(view);
    space.fence();  // first: a copy into pageable memory may hold the driver while it waits, and peers could not launch
    Kokkos::deep_copy(space, mirror, view);
    space.fence();
    return mirror;
  }
};

/// Calls body(rank) on every rank, each with an instance of its own.
template <class Body>
void on_each_kokkos_rank(Body const& body) {
  for (int const ranks : few_rank_counts()) {
    run_ranks(ranks, [&](Bootstrap& bootstrap) {
      KokkosRank const rank(bootstrap);
      body(rank);
    });
  }
}

/// The same with body(policy, communicator), for Views of the host's memory.
template <class Body>
void on_kokkos_ranks(Body const& body) {
  on_each_kokkos_rank([&](KokkosRank const& rank) { body(rank.policy, rank.comm); });
}

inline double sum_of_ranks(int size) {
  return size * (size + 1) / 2.0;
}

}  // namespace Koinon::Testing
