// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CoreWithoutMpi.hpp>

#include "support/Koinon_RankRunner.hpp"

#include <Kokkos_Core.hpp>

namespace Koinon::Testing {

/// Calls body(policy, communicator) on every rank, each with an instance of its own.
template <class Body>
void on_kokkos_ranks(Body const& body) {
  for (int const ranks : few_rank_counts()) {
    run_ranks(ranks, [&](Bootstrap& bootstrap) {
      Kokkos::OpenMP const space(1);
      Communicator const comm(space, bootstrap);
      CollectivePolicy const policy(space, comm);
      body(policy, comm);
    });
  }
}

inline double sum_of_ranks(int size) {
  return size * (size + 1) / 2.0;
}

}  // namespace Koinon::Testing
