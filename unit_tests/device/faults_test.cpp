// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <device/Koinon_DeviceWays.hpp>
#include <support/Koinon_Caught.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cuda_runtime_api.h>
#include <span>
#include <thread>

// Ranks that never come, or give up, while their peers' kernels wait on the GPU that they share.
namespace Koinon::Testing {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// The timeout of communicators whose waits shall reach it.
constexpr milliseconds timeout{1000};
/// What ends at once may take on a busy machine.
constexpr milliseconds soon{700};

/// Expects that a communicator made now works, and that no call has left an error behind.
void expect_usable(Bootstrap& bootstrap) {
  DeviceRank const rank(bootstrap);
  for (Way const& way : ways) {
    std::span<float> const in = rank.array(0, way.count);
    std::span<float> const out = rank.array(1, way.count);
    fill(rank.stream(), in, static_cast<float>(rank.comm.rank()), 1);
    sum_by(way, rank, "again", in, out);
    rank.expect_filled(out, ranks_sum(rank.comm.size()), static_cast<float>(rank.comm.size()));
  }
  rank.comm.check();
  bootstrap.barrier();  // no kernel waits for a peer any more
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  bootstrap.barrier();
}

/// Waits until everything on the rank's stream has ended and returns how long that took.
milliseconds time_to_end(DeviceRank const& rank) {
  auto const begin = Clock::now();
  EXPECT_EQ(cudaStreamSynchronize(rank.stream()), cudaSuccess);
  return std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
}

/// Looks until check() throws, and returns what.
Caught next_failure(DeviceRank const& rank) {
  auto const begin = Clock::now();
  Caught found = caught([&] { rank.comm.check(); });
  while (found.type == "nothing" && Clock::now() - begin < 10 * timeout) {
    std::this_thread::sleep_for(milliseconds(1));
    found = caught([&] { rank.comm.check(); });
  }
  return found;
}

/// Lets the last rank never call, and expects that all others tell so when the timeout is over.
void miss_the_last_rank(Bootstrap& bootstrap, Way const& way) {
  auto left = Clock::now();
  {
    DeviceRank const rank(bootstrap, timeout);
    int const last = rank.comm.size() - 1;
    fill(rank.stream(), rank.array(0, way.count), 1);
    sum_by(way, rank, "comes", rank.array(0, way.count), rank.array(1, way.count));
    rank.expect_filled(rank.array(1, way.count), static_cast<float>(rank.comm.size()));
    bootstrap.barrier();
    if (rank.comm.rank() != last) {
      sum_by(way, rank, "never", rank.array(0, way.count), rank.array(1, way.count));
      sum_by(way, rank, "queued", rank.array(0, way.count), rank.array(1, way.count));
      milliseconds const took = time_to_end(rank);
      EXPECT_GE(took, timeout - milliseconds(100));
      EXPECT_LT(took, timeout + soon) << "the call behind it waited too";
      Caught const found = caught([&] { rank.comm.check(); });
      expect_missing(found, {last});
      EXPECT_EQ(found.operation, "all_reduce");
      EXPECT_EQ(found.launch_number, 2u);
      expect_missing(caught([&] { sum_by(way, rank, "later", rank.array(0, way.count), rank.array(1, way.count)); }),
                     {last});
    }
    bootstrap.barrier();
    expect_missing(caught([&] { rank.comm.check(); }), {last});  // it is told, too
    bootstrap.barrier();
    left = Clock::now();
  }
  EXPECT_LT(Clock::now() - left, soon) << "the end of a communicator that failed waited for somebody";
  expect_usable(bootstrap);
}

TEST(DeviceFaults, ARankThatNeverComesIsNamedByAllOthersAndTheGpuStaysUsable) {
  for (int const ranks : {2, 3, 8}) {
    for (Way const& way : ways) {
      if (ranks == 3 && way.algorithm == Algorithm::one_shot) continue;  // a second each
      run_thread_ranks(ranks, [&](ThreadBootstrap& bootstrap) { miss_the_last_rank(bootstrap, way); });
    }
  }
}

/// Lets all ranks but the last wait in a kernel; then `aborter` aborts from a thread that makes no calls.
void abort_while_kernels_wait(Bootstrap& bootstrap, Way const& way, int aborter) {
  {
    DeviceRank const rank(bootstrap);  // whose timeout is a minute
    bool const waits = rank.comm.rank() != rank.comm.size() - 1;
    if (waits) {
      for (int turn = 0; turn < 5; ++turn)
        sum_by(way, rank, "waits", rank.array(0, way.count), rank.array(1, way.count));
      std::this_thread::sleep_for(milliseconds(50));
      EXPECT_EQ(cudaStreamQuery(rank.stream()), cudaErrorNotReady);
      (void)cudaGetLastError();
    }
    bootstrap.barrier();
    auto const begin = Clock::now();
    if (rank.comm.rank() == aborter) std::thread([&] { rank.comm.abort("enough of it"); }).join();
    Caught const found = next_failure(rank);
    expect_error(found, "AbortedError", "enough of it");
    EXPECT_EQ(found.rank, aborter);
    (void)time_to_end(rank);
    EXPECT_LT(Clock::now() - begin, soon);
    bootstrap.barrier();
  }
  expect_usable(bootstrap);
}

TEST(DeviceFaults, AnAbortEndsTheKernelsOfAllRanks) {
  for (int const ranks : {2, 3, 8}) {
    for (Way const& way : ways) {
      for (int const aborter : {0, ranks - 1}) {
        run_thread_ranks(ranks, [&](ThreadBootstrap& bootstrap) { abort_while_kernels_wait(bootstrap, way, aborter); });
      }
    }
  }
}

/// Replays a graph of many calls: once on all ranks, then on all but the last.
void replay_without_the_last_rank(Bootstrap& bootstrap, Way const& way) {
  constexpr int calls = 20;
  {
    DeviceRank const rank(bootstrap, timeout);
    int const last = rank.comm.size() - 1;
    std::span<float> const in = rank.array(0, way.count);
    std::span<float> const out = rank.array(1, way.count);
    cudaGraphExec_t const graph = captured(rank.stream(), [&] {
      for (int call = 0; call < calls; ++call) sum_by(way, rank, "captured", in, out);
    });
    bootstrap.barrier();  // nobody makes a graph while a peer's kernel waits
    fill(rank.stream(), in, static_cast<float>(rank.comm.rank()), 1);
    require(cudaGraphLaunch(graph, rank.stream()));
    rank.expect_filled(out, ranks_sum(rank.comm.size()), static_cast<float>(rank.comm.size()));
    rank.comm.check();
    bootstrap.barrier();

    if (rank.comm.rank() != last) {
      require(cudaGraphLaunch(graph, rank.stream()));
      milliseconds const took = time_to_end(rank);
      EXPECT_GE(took, timeout - milliseconds(100));
      EXPECT_LT(took, timeout + soon) << "of " << calls << " launches more than the first have waited";
      expect_missing(caught([&] { rank.comm.check(); }), {last});
    }
    bootstrap.barrier();
    // Whatever is replayed now, also on the rank that was missing, ends at once.
    require(cudaGraphLaunch(graph, rank.stream()));
    EXPECT_LT(time_to_end(rank), soon);
    expect_missing(caught([&] { rank.comm.check(); }), {last});
    bootstrap.barrier();
    require(cudaGraphExecDestroy(graph));
  }
  expect_usable(bootstrap);
}

TEST(DeviceFaults, AReplayThatMissesARankEndsAllLaterLaunchesOfItsGraphAtOnce) {
  for (int const ranks : {2, 8}) {
    for (Way const& way : ways) {
      run_thread_ranks(ranks, [&](ThreadBootstrap& bootstrap) { replay_without_the_last_rank(bootstrap, way); });
    }
  }
}

}  // namespace
}  // namespace Koinon::Testing
