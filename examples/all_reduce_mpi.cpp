// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Core.hpp>

#include <mpi.h>

#include <cstdio>
#include <span>
#include <vector>

#if defined(KOINON_ENABLE_KOKKOS)
#include <Kokkos_Core.hpp>

using Rows = Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace>;

// Free functions: some device compilers take no KOINON_LAMBDA in a member or in main's own lambdas.
void fill(Kokkos::DefaultHostExecutionSpace const& exec, Rows const& rows, int rank) {
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy(exec, std::size_t{0}, rows.extent(0)), KOINON_LAMBDA(std::size_t const i) {
        for (std::size_t j = 0; j < rows.extent(1); ++j) rows(i, j) = static_cast<float>(rank) + static_cast<float>(i);
      });
}

int count_wrong(Kokkos::DefaultHostExecutionSpace const& exec, Rows const& rows, int ranks) {
  int wrong = 0;
  Kokkos::parallel_reduce(
      "check", Kokkos::RangePolicy(exec, std::size_t{0}, rows.extent(0)),
      KOINON_LAMBDA(std::size_t const i, int& count) {
        // The sum over ranks of rank + i.
        float const expected = static_cast<float>(ranks) * static_cast<float>(i) +
                               static_cast<float>(ranks) * static_cast<float>(ranks - 1) / 2;
        for (std::size_t j = 0; j < rows.extent(1); ++j) count += rows(i, j) == expected ? 0 : 1;
      },
      wrong);
  return wrong;
}

/// Adds Views over the ranks: one on symmetric memory, one of Kokkos's own. Returns the wrong elements.
int add_views() {
  Kokkos::DefaultHostExecutionSpace const exec;
  Koinon::Communicator const comm(exec, MPI_COMM_WORLD);
  Koinon::CollectivePolicy const policy(exec, comm);

  auto const x = Koinon::symmetric_view<float**, Kokkos::LayoutRight, Kokkos::HostSpace>("x", comm, 256, 96);
  Rows const sum("sum", 256, 96);
  fill(exec, x, comm.rank());
  Koinon::all_reduce("x", policy, x, sum);  // ordered with the kernels before and after it, like a kernel
  Koinon::all_reduce("x in place", policy, x, x);
  int const wrong = count_wrong(exec, sum, comm.size()) + count_wrong(exec, x, comm.size());
  if (comm.rank() == 0) std::printf("%s", comm.describe().c_str());
  return wrong;
}

int run(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  return add_views();
}
#else
/// Adds spans over the ranks. Returns the wrong elements.
int run(int, char**) {
  Koinon::HostThread const exec;
  Koinon::Communicator const comm(exec, MPI_COMM_WORLD);
  std::vector<float> x(256 * 96, static_cast<float>(comm.rank()));
  Koinon::all_reduce("x in place", Koinon::CollectivePolicy(exec, comm), std::span(x), std::span(x));
  float const expected = static_cast<float>(comm.size()) * static_cast<float>(comm.size() - 1) / 2;
  int wrong = 0;
  for (float const element : x) wrong += element == expected ? 0 : 1;
  if (comm.rank() == 0) std::printf("%s", comm.describe().c_str());
  return wrong;
}
#endif

/// mpiexec -n 2 all_reduce_mpi
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const wrong = run(argc, argv);
  std::printf("all_reduce_mpi: %d wrong elements\n", wrong);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
