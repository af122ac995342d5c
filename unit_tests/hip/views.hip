// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_KokkosHip.hpp>
#include <Koinon_CollectivePolicy.hpp>
#include <bootstrap/Koinon_ThreadBootstrap.hpp>
#include <collectives/Koinon_AllReduce.hpp>
#include <kokkos/Koinon_KokkosArrays.hpp>
#include <kokkos/Koinon_KokkosDefault.hpp>
#include <kokkos/Koinon_KokkosElements.hpp>
#include <kokkos/Koinon_KokkosSpaceHolder.hpp>
#include <kokkos/Koinon_KokkosTools.hpp>

// The front end over Views of Kokkos::HIP: compiled, never run (.ci/compile_with_hip).
namespace Koinon::Testing {

void reduce_views(ThreadBootstrap& bootstrap, Kokkos::View<float**, Kokkos::HIP> const& matrix) {
  Communicator<Kokkos::HIP> communicator(Kokkos::HIP(), bootstrap);
  all_reduce("matrix", CollectivePolicy(communicator), matrix, matrix, Sum{});
  auto const column = Kokkos::subview(matrix, Kokkos::ALL, 0);
  all_reduce("column", CollectivePolicy(communicator), column, column, Max{});
}

}  // namespace Koinon::Testing
