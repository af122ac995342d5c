// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <support/Koinon_FaultCalls.hpp>

#include <gtest/gtest.h>
#include <bootstrap/Koinon_Mpi.hpp>
#include <mpi.h>

namespace Koinon::Testing {
namespace {

// One case: MPI is initialized and finalized once in a process.
TEST(MpiFinalize, LeavesCommunicatorsWorkingAndOnlyNewOnesRefused) {
  HostThread const exec;
  expect_error(caught([&] { Comm(exec, MPI_COMM_WORLD); }), "InvalidArgument", "MPI is not initialized");
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  expect_error(caught([&] { Comm(exec, MPI_COMM_NULL); }), "InvalidArgument", "MPI_COMM_NULL");
  int rank = -1;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  {
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    std::optional<Comm> const other(std::in_place, exec, reversed);
    MPI_Comm_free(&reversed);  // used at creation only
    EXPECT_EQ(other->rank(), size - 1 - rank);
    reduce_ones(*other, "x", ways[1]);
  }
  std::optional<Comm> comm(std::in_place, exec, MPI_COMM_WORLD);
  EXPECT_EQ(comm->rank(), rank);
  EXPECT_EQ(comm->size(), size);
  for (Way const& way : ways) reduce_ones(*comm, "before", way);
  MPI_Finalize();
  for (Way const& way : ways) reduce_ones(*comm, "after", way);
  free_symmetric(*comm, symmetric_array<float, 1>(*comm, 100));
  auto const child = comm->split(0, -rank);
  reduce_ones(*child, "after", ways[2]);
  comm->check();
  comm.reset();
  expect_error(caught([&] { Comm(exec, MPI_COMM_WORLD); }), "InvalidArgument", "MPI is finalized");
}

}  // namespace
}  // namespace Koinon::Testing

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
