// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CoreWithoutMpi.hpp>
#include <support/Koinon_Caught.hpp>
#include <support/Koinon_ForkedRanks.hpp>
#include <support/Koinon_RankRunner.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cuda_runtime_api.h>
#include <stdexcept>
#include <vector>

// Ranks that are processes, also of one GPU: they make a communicator, reach each other's memory by plain copies, one
// rank after the other, and part. No kernel runs: those of two processes do not run side by side on a GPU.
namespace Koinon::Testing {
namespace {

void require(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

/// Returns why there is no GPU; empty: there is one. Asked in a child, since a process that knows its GPUs must not
/// fork ranks; a rank of an MPI forks none.
std::string lack_of_gpu() {
  auto const asked = [] {
    int gpus = 0;
    return cudaGetDeviceCount(&gpus) == cudaSuccess && gpus > 0;
  };
  char const* const none = "there is no NVIDIA GPU";
  if (ranks_as() == RanksAs::mpi) return asked() ? "" : none;
  RankEnd const answer = run_forked_ranks(1, [&](ForkedRank&) {
                           std::fflush(nullptr);
                           _exit(asked() ? 0 : 3);
                         }).front();
  return answer == clean_end ? "" : none;
}

/// Returns what `writer` stores at `at`, word by word.
std::vector<std::uint32_t> pattern(std::size_t words, int writer, int at) {
  std::vector<std::uint32_t> values(words);
  for (std::size_t i = 0; i < words; ++i) {
    values[i] = static_cast<std::uint32_t>(i * 2654435761u) ^ static_cast<std::uint32_t>(1000 * (writer + 1) + at);
  }
  return values;
}

/// Lets every rank, one after the other, store a part of every rank's array; then all read all.
void expect_reachable(Communicator<CudaStream> const& comm, Bootstrap& bootstrap) {
  constexpr std::size_t words = 300'001;
  int const me = comm.rank();
  int const size = comm.size();
  auto const array = symmetric_array<std::uint32_t, 2>(comm, size, words);
  auto const part = [&](int at, int writer) {
    return comm.device().peer_pointer(at, array.pointer + static_cast<std::size_t>(writer) * words);
  };
  std::vector<std::uint32_t> seen(words, 1);
  require(cudaMemcpy(seen.data(), part(me, size - 1), words * sizeof seen[0], cudaMemcpyDeviceToHost));
  EXPECT_EQ(seen, std::vector<std::uint32_t>(words)) << "symmetric arrays are zero at first";
  bootstrap.barrier();
  for (int turn = 0; turn < size; ++turn) {
    for (int p = 0; p < size && turn == me; ++p) {
      auto const values = pattern(words, me, p);
      require(cudaMemcpy(part(p, me), values.data(), words * sizeof values[0], cudaMemcpyHostToDevice));
    }
    bootstrap.barrier();
  }
  for (int turn = 0; turn < size; ++turn) {
    for (int at = 0; at < size && turn == me; ++at) {
      for (int writer = 0; writer < size; ++writer) {
        require(cudaMemcpy(seen.data(), part(at, writer), words * sizeof seen[0], cudaMemcpyDeviceToHost));
        EXPECT_EQ(seen, pattern(words, writer, at))
            << "rank " << me << " looks at rank " << at << "'s part of " << writer;
      }
    }
    bootstrap.barrier();
  }
}

void meet_and_part(Bootstrap& bootstrap) {
  int gpus = 0;
  require(cudaGetDeviceCount(&gpus));
  require(cudaSetDevice(bootstrap.rank() % gpus));
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  {
    Communicator const comm(CudaStream(stream), bootstrap, {.staging_bytes = 1 << 20, .symmetric_bytes = 16 << 20});
    if (comm.rank() == 0) std::printf("%s", comm.describe().c_str());
    expect_reachable(comm, bootstrap);
    {
      // The other way around: its set-up goes through this one's own sockets.
      auto const reversed = comm.split(0, -comm.rank());
      ASSERT_TRUE(reversed.has_value());
      EXPECT_EQ(reversed->rank(), comm.size() - 1 - comm.rank());
      expect_reachable(*reversed, bootstrap);
    }
    comm.check();
    bootstrap.barrier();
    if (comm.rank() == comm.size() - 1) comm.abort("enough of it");
    bootstrap.barrier();
    Caught const found = caught([&] { comm.check(); });
    expect_error(found, "AbortedError", "enough of it");
    EXPECT_EQ(found.rank, comm.size() - 1);
    bootstrap.barrier();
  }
  {
    Communicator const again(CudaStream(stream), bootstrap, {.staging_bytes = 1 << 20, .symmetric_bytes = 16 << 20});
    expect_reachable(again, bootstrap);
  }
  require(cudaStreamDestroy(stream));
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  bootstrap.barrier();
}

TEST(DeviceProcesses, ReachEachOthersMemoryAndLeaveIt) {
  if (std::string const lack = lack_of_gpu(); !lack.empty()) GTEST_SKIP() << lack;
  for (int const ranks : few_rank_counts()) run_ranks(ranks, meet_and_part);
}

}  // namespace
}  // namespace Koinon::Testing
