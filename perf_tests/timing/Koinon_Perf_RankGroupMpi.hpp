// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_RankGroup.hpp>

#include <bootstrap/Koinon_Mpi.hpp>

#include <mpi.h>

namespace Koinon::Perf {

/// The processes of MPI_COMM_WORLD.
class MpiRankGroup final : public RankGroup {
 public:
  MpiRankGroup() {
    MPI_Comm_rank(MPI_COMM_WORLD, &m_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &m_size);
  }
  int rank() const override { return m_rank; }
  int size() const override { return m_size; }
  bool is_processes() const override { return true; }
  void barrier() override { MPI_Barrier(MPI_COMM_WORLD); }
  double maximum(double value) override {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return value;
  }
  std::uint64_t sum(std::uint64_t value) override {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return value;
  }
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) override {
    auto const bytes = static_cast<int>(mine.size());
    MPI_Allgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, MPI_COMM_WORLD);
  }

 private:
  int m_rank = 0;
  int m_size = 1;
};

}  // namespace Koinon::Perf
