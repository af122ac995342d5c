// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FarSpace.hpp"

#include <Kokkos_DynRankView.hpp>

// Compiles: what the files about Views do wrong, done right, with and without an instance of Kokkos.
template <class Space>
void call(Koinon::Communicator<Space> const& comm, Kokkos::View<int const*, Kokkos::HostSpace> in,
          Kokkos::View<int*, Kokkos::HostSpace> out, Kokkos::DynRankView<int, Kokkos::HostSpace> any) {
  Koinon::CollectivePolicy<Space> const policy(comm.space(), comm);
  Koinon::all_reduce(policy, in, out);
  Koinon::broadcast(policy, any, 0);
  Koinon::free_symmetric(comm, Koinon::symmetric_view<int*, Kokkos::HostSpace>("near", comm, 10));
}
template void call(Koinon::Communicator<Koinon::HostThread> const&, Kokkos::View<int const*, Kokkos::HostSpace>,
                   Kokkos::View<int*, Kokkos::HostSpace>, Kokkos::DynRankView<int, Kokkos::HostSpace>);
template void call(Koinon::Communicator<Kokkos::DefaultHostExecutionSpace> const&,
                   Kokkos::View<int const*, Kokkos::HostSpace>, Kokkos::View<int*, Kokkos::HostSpace>,
                   Kokkos::DynRankView<int, Kokkos::HostSpace>);

// The memory out of reach is one that Kokkos knows: only the spaces that must reach it are missing.
static_assert(Kokkos::is_memory_space_v<FarSpace> && Koinon::ArrayLike<Kokkos::View<int*, FarSpace>>);
