// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <device/Koinon_DeviceRank.hpp>
#include <support/Koinon_Caught.hpp>

#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <thread>
#include <vector>

// What the fake of the driver cannot show: memory of any origin, streams, captures and the end of a communicator on a GPU.
namespace Koinon::Testing {
namespace {

using Rank = DeviceRank;
constexpr std::size_t count = Rank::count;

TEST(DeviceArguments, OfEveryOriginAreUsedAndPlainHostMemoryIsRefusedOnThatRankAlone) {
  int pageable = 0;
  require(cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0));
  // Taken before any kernel waits for a peer.
  struct Memory {
    float* pinned = nullptr;
    float* managed = nullptr;
    float* pool = nullptr;
  };
  std::vector<Memory> all(2);
  for (Memory& m : all) {
    require(cudaMallocHost(&m.pinned, (count + 1) * sizeof(float)));
    require(cudaMallocManaged(&m.managed, (count + 1) * sizeof(float)));
    require(cudaMallocAsync(&m.pool, (count + 1) * sizeof(float), nullptr));
  }
  require(cudaDeviceSynchronize());
  run_thread_ranks(2, [&](ThreadBootstrap& bootstrap) {
    Rank const rank(bootstrap);
    Memory const& m = all[static_cast<std::size_t>(rank.comm.rank())];
    for (float* const p : {rank.x, rank.x + 2 * count + 1, m.pinned, m.pinned + 1, m.managed, m.managed + 1, m.pool, m.pool + 1}) {
      fill(rank.stream(), {p, count}, 3.0f);
      sum("origin", rank.policy, std::span(p, count), rank.array());
      rank.expect_filled(rank.array(), 6.0f);
    }
    if (rank.comm.rank() == 0 && pageable == 0) {
      std::vector<float> here(count);
      expect_error(caught([&] { sum("here", rank.policy, std::span(here), rank.array()); }), "InvalidArgument",
                   "`in` cannot be accessed", "not pinned");
      expect_error(caught([&] { sum("here", rank.policy, rank.array(), std::span(here)); }), "InvalidArgument",
                   "`out` cannot be accessed");
    }
    sum("corrected", rank.policy, rank.array(), rank.array());
    rank.expect_filled(rank.array(), 12.0f);
    bootstrap.barrier();
  });
  for (Memory const& m : all) {
    require(cudaFreeHost(m.pinned));
    require(cudaFree(m.managed));
    require(cudaFreeAsync(m.pool, nullptr));
  }
}

TEST(DeviceDestruction, WaitsForLaunchesThatHaveNotBegun) {
  unsigned* go = nullptr;
  require(cudaMallocHost(&go, 2 * sizeof(unsigned)));
  go[0] = go[1] = 0;
  run_thread_ranks(2, [&](ThreadBootstrap& bootstrap) {
    auto rank = std::make_unique<Rank>(bootstrap);
    EmulatedCudaStream const stream = rank->first;  // outlives the communicator
    unsigned* const mine = go + rank->comm.rank();
    fill(stream.stream().stream(), rank->array(), 1.0f);
    hold(stream.stream().stream(), mine);
    for (int turn = 0; turn < 3; ++turn) sum("queued", rank->policy, rank->array(), rank->array());
    std::atomic<bool> released{false};
    std::thread host([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      released.store(true);
      std::atomic_ref(*mine).store(1, std::memory_order_release);
    });
    rank.reset();
    EXPECT_TRUE(released.load()) << "the memory of queued launches was taken away";
    host.join();
    EXPECT_EQ(cudaStreamSynchronize(stream.stream().stream()), cudaSuccess);
    bootstrap.barrier();
  });
  require(cudaFreeHost(go));
}

TEST(DeviceInstances, OfOneCommunicatorRunTheirCallsInTheOrderOfTheCalls) {
  run_thread_ranks(2, [](ThreadBootstrap& bootstrap) {
    Rank const rank(bootstrap);
    fill(rank.stream(), rank.array(), 1.0f);
    float expected = 1;
    for (int turn = 0; turn < 10; ++turn) {
      dawdle(rank.stream(), std::chrono::microseconds(100));
      sum("first", rank.policy, rank.array(), rank.array());
      sum("second", rank.other, rank.array(), rank.array());
      sum("third", rank.policy, rank.array(), rank.array());
      expected *= 8;
    }
    rank.expect_filled(rank.array(), expected);
    rank.comm.check();
    bootstrap.barrier();
  });
}

TEST(DeviceInstances, OfOneCaptureAreOrderedInItsGraphAndOthersAreRefusedMeanwhile) {
  run_thread_ranks(2, [](ThreadBootstrap& bootstrap) {
    Rank const rank(bootstrap);
    cudaStream_t const first = rank.stream();
    cudaStream_t const second = rank.second_stream();
    cudaEvent_t fork = nullptr;
    cudaEvent_t join = nullptr;
    require(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    require(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    cudaGraphExec_t const graph = captured(first, [&] {
      sum("captured", rank.policy, rank.array(), rank.array());
      expect_error(caught([&] { sum("eager", rank.other, rank.array(), rank.array()); }), "InvalidArgument",
                   "in a capture that has not ended");
      require(cudaEventRecord(fork, first));
      require(cudaStreamWaitEvent(second, fork, 0));
      sum("forked", rank.other, rank.array(), rank.array());
      require(cudaEventRecord(join, second));
      require(cudaStreamWaitEvent(first, join, 0));
      sum("joined", rank.policy, rank.array(), rank.array());
    });
    fill(first, rank.array(), 1.0f);
    bootstrap.barrier();
    for (int replay = 0; replay < 3; ++replay) require(cudaGraphLaunch(graph, first));
    sum("after", rank.policy, rank.array(), rank.array());
    rank.expect_filled(rank.array(), 1024.0f);
    rank.comm.check();
    bootstrap.barrier();
    require(cudaGraphExecDestroy(graph));
    require(cudaEventDestroy(fork));
    require(cudaEventDestroy(join));
  });
}

TEST(DeviceInstances, WhoseGraphsRunAtTheSameTimeEndTheCommunicator) {
  run_thread_ranks(1, [](ThreadBootstrap& bootstrap) {
    Rank const rank(bootstrap);
    // Long launches: more than one stream can begin while another's run.
    auto const many = [&](auto const& policy) {
      for (int turn = 0; turn < 500; ++turn) sum("graph", policy, rank.array(), rank.array());
    };
    cudaGraphExec_t const a = captured(rank.stream(), [&] { many(rank.policy); });
    cudaGraphExec_t const b = captured(rank.second_stream(), [&] { many(rank.other); });
    fill(rank.stream(), rank.array(), 1.0f);
    Caught found = caught([&] { rank.comm.check(); });
    for (int turn = 0; turn < 100 && found.type == "nothing"; ++turn) {
      require(cudaGraphLaunch(a, rank.stream()));
      require(cudaGraphLaunch(b, rank.second_stream()));
      require(cudaStreamSynchronize(rank.stream()));
      require(cudaStreamSynchronize(rank.second_stream()));
      found = caught([&] { rank.comm.check(); });
    }
    expect_error(found, "AbortedError", "two launches of one communicator ran at the same time on rank 0");
    require(cudaGraphExecDestroy(a));
    require(cudaGraphExecDestroy(b));
  });
}

TEST(DeviceLaunch, DependentOnTheOneBeforeGivesTheSameResultsTriggeredEarlyOrNot) {
  run_thread_ranks(2, [](ThreadBootstrap& bootstrap) {
    Rank const rank(bootstrap);
    cudaStream_t const stream = rank.stream();
    auto const run = [&](auto const& policy) {
      cudaGraphExec_t const graph = captured(stream, [&] {
        for (int turn = 0; turn < 6; ++turn) sum("dependent", policy, rank.array(), rank.array());
      });
      bootstrap.barrier();  // nobody makes a graph while a peer's kernel waits
      for (int replay = 0; replay < 20; ++replay) {
        fill(stream, rank.array(), static_cast<float>(replay + 1));
        require(cudaGraphLaunch(graph, stream));
        for (int turn = 0; turn < 2; ++turn) sum("eager", policy, rank.array(), rank.array());
        rank.expect_filled(rank.array(), 256.0f * static_cast<float>(replay + 1));
      }
      rank.comm.check();
      bootstrap.barrier();
      require(cudaGraphExecDestroy(graph));
    };
    run(prefer(rank.policy, DependentLaunch{}));
    run(prefer(rank.policy, EarlyTrigger{}));
    bootstrap.barrier();
  });
}

}  // namespace
}  // namespace Koinon::Testing
