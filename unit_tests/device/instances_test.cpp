// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Core.hpp>
#include <support/Koinon_Caught.hpp>
#include <support/Koinon_CudaSpace.hpp>

#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

// What the fake of the driver cannot show: memory of any origin, streams, captures and the end of a communicator on a GPU.
namespace Koinon::Testing {
namespace {

constexpr int count = 1000;

void require(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

/// Stops a stream until the host says so.
__global__ void hold(unsigned const volatile* go) {
  while (*go == 0) {
  }
}
/// Takes a while: microseconds.
__global__ void dawdle(long long nanoseconds) {
  long long begin = 0;
  long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}
__global__ void fill(float* p, float value) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) p[i] = value;
}

/// Is a rank with two streams.
struct Rank {
  EmulatedCudaStream first;
  EmulatedCudaStream second;
  Communicator<EmulatedCudaStream> comm;
  CollectivePolicy<EmulatedCudaStream> policy;
  CollectivePolicy<EmulatedCudaStream> other;
  std::unique_ptr<SpaceMemory const> memory = make_space_memory(first);
  float* x = reinterpret_cast<float*>(memory->private_memory());

  explicit Rank(Bootstrap& bootstrap, std::chrono::nanoseconds timeout = std::chrono::seconds(60))
      : comm(first, bootstrap, {.staging_bytes = 1 << 20, .symmetric_bytes = 1 << 16, .timeout = timeout}),
        policy(first, comm),
        other(second, comm) {}
  [[nodiscard]] std::span<float> array() const { return {x, count}; }
  void expect_all(float value) const {
    std::vector<float> host(count);
    require(cudaStreamSynchronize(second.stream().stream()));
    memory->download(reinterpret_cast<std::byte*>(host.data()), reinterpret_cast<std::byte const*>(x),
                     sizeof(float) * count);
    for (float const each : host) ASSERT_EQ(each, value);
  }
};

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
      fill<<<1, 256, 0, rank.first.stream().stream()>>>(p, 3.0f);
      require(cudaGetLastError());
      all_reduce("origin", rank.policy, std::span(p, count), rank.array());
      rank.expect_all(6.0f);
    }
    if (rank.comm.rank() == 0 && pageable == 0) {
      std::vector<float> here(count);
      expect_error(caught([&] { all_reduce("here", rank.policy, std::span(here), rank.array()); }), "InvalidArgument",
                   "`in` cannot be accessed", "not pinned");
      expect_error(caught([&] { all_reduce("here", rank.policy, rank.array(), std::span(here)); }), "InvalidArgument",
                   "`out` cannot be accessed");
    }
    all_reduce("corrected", rank.policy, rank.array(), rank.array());
    rank.expect_all(12.0f);
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
    fill<<<1, 256, 0, stream.stream().stream()>>>(rank->x, 1.0f);
    hold<<<1, 1, 0, stream.stream().stream()>>>(mine);
    for (int turn = 0; turn < 3; ++turn) all_reduce("queued", rank->policy, rank->array(), rank->array());
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
    fill<<<1, 256, 0, rank.first.stream().stream()>>>(rank.x, 1.0f);
    float expected = 1;
    for (int turn = 0; turn < 10; ++turn) {
      dawdle<<<1, 1, 0, rank.first.stream().stream()>>>(100'000);
      all_reduce("first", rank.policy, rank.array(), rank.array());
      all_reduce("second", rank.other, rank.array(), rank.array());
      all_reduce("third", rank.policy, rank.array(), rank.array());
      expected *= 8;
    }
    rank.expect_all(expected);
    rank.comm.check();
    bootstrap.barrier();
  });
}

/// Captures body() and returns the graph, ready to be launched.
template <class F>
cudaGraphExec_t captured(cudaStream_t stream, F&& body) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  body();
  require(cudaStreamEndCapture(stream, &graph));
  require(cudaGraphInstantiate(&ready, graph, 0));
  require(cudaGraphDestroy(graph));
  require(cudaGraphUpload(ready, stream));
  require(cudaStreamSynchronize(stream));
  return ready;
}

TEST(DeviceInstances, OfOneCaptureAreOrderedInItsGraphAndOthersAreRefusedMeanwhile) {
  run_thread_ranks(2, [](ThreadBootstrap& bootstrap) {
    Rank const rank(bootstrap);
    cudaStream_t const first = rank.first.stream().stream();
    cudaStream_t const second = rank.second.stream().stream();
    cudaEvent_t fork = nullptr;
    cudaEvent_t join = nullptr;
    require(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    require(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    cudaGraphExec_t const graph = captured(first, [&] {
      all_reduce("captured", rank.policy, rank.array(), rank.array());
      expect_error(caught([&] { all_reduce("eager", rank.other, rank.array(), rank.array()); }), "InvalidArgument",
                   "in a capture that has not ended");
      require(cudaEventRecord(fork, first));
      require(cudaStreamWaitEvent(second, fork, 0));
      all_reduce("forked", rank.other, rank.array(), rank.array());
      require(cudaEventRecord(join, second));
      require(cudaStreamWaitEvent(first, join, 0));
      all_reduce("joined", rank.policy, rank.array(), rank.array());
    });
    fill<<<1, 256, 0, first>>>(rank.x, 1.0f);
    bootstrap.barrier();
    for (int replay = 0; replay < 3; ++replay) require(cudaGraphLaunch(graph, first));
    all_reduce("after", rank.policy, rank.array(), rank.array());
    rank.expect_all(1024.0f);
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
      for (int turn = 0; turn < 500; ++turn) all_reduce("graph", policy, rank.array(), rank.array());
    };
    cudaGraphExec_t const a = captured(rank.first.stream().stream(), [&] { many(rank.policy); });
    cudaGraphExec_t const b = captured(rank.second.stream().stream(), [&] { many(rank.other); });
    fill<<<1, 256, 0, rank.first.stream().stream()>>>(rank.x, 1.0f);
    Caught found = caught([&] { rank.comm.check(); });
    for (int turn = 0; turn < 100 && found.type == "nothing"; ++turn) {
      require(cudaGraphLaunch(a, rank.first.stream().stream()));
      require(cudaGraphLaunch(b, rank.second.stream().stream()));
      require(cudaStreamSynchronize(rank.first.stream().stream()));
      require(cudaStreamSynchronize(rank.second.stream().stream()));
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
    cudaStream_t const stream = rank.first.stream().stream();
    auto const run = [&](auto const& policy) {
      cudaGraphExec_t const graph = captured(stream, [&] {
        for (int turn = 0; turn < 6; ++turn) all_reduce("dependent", policy, rank.array(), rank.array());
      });
      bootstrap.barrier();  // nobody makes a graph while a peer's kernel waits
      for (int replay = 0; replay < 20; ++replay) {
        fill<<<1, 256, 0, stream>>>(rank.x, static_cast<float>(replay + 1));
        require(cudaGraphLaunch(graph, stream));
        for (int turn = 0; turn < 2; ++turn) all_reduce("eager", policy, rank.array(), rank.array());
        rank.expect_all(256.0f * static_cast<float>(replay + 1));
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
