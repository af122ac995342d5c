// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Core.hpp>
#include <Koinon_Device.hpp>
#include <support/Koinon_CudaSpace.hpp>
#include <support/Koinon_RankRunner.hpp>

#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

#include <chrono>
#include <vector>

// Every verb of DeviceCommunicator in users' kernels, ranks as threads that share a GPU.
namespace Koinon::Testing {
namespace {

constexpr int blocks = 2;
constexpr int threads = 64;
constexpr int turns = 5;

struct Message {
  float value;
  int turn;
};

/// Is what a rank has in symmetric memory, one a block.
struct Board {
  float mine;
  float from_all[8];   // stored by each rank at all
  float from_left;     // stored by the left neighbour alone
  double payload[8];   // of each rank, signalled
  float reduced;
  float loaded[8];
  double signalled[8];
  Message messages[8];
  int second_turns[8];
  int gone_wrong;  // a bit for each verb that gave up or brought something else
};

/// Is a member of a TeamPolicy as far as the verbs know it.
struct Member {
  __device__ int league_rank() const { return static_cast<int>(blockIdx.x); }
  __device__ int team_rank() const { return static_cast<int>(threadIdx.x); }
  __device__ int team_size() const { return static_cast<int>(blockDim.x); }
  __device__ void team_barrier() const { __syncthreads(); }
};

__global__ void use_every_verb(DeviceCommunicator const comm, Board* boards, int turn) {
  Board& board = boards[blockIdx.x];
  int const slot = static_cast<int>(blockIdx.x);
  int const rank = comm.rank();
  int const size = comm.size();
  int wrong = 0;
  auto const expect = [&](int bit, bool good) { wrong |= good ? 0 : 1 << bit; };
  if (threadIdx.x == 0) board.mine = static_cast<float>(100 * turn + rank + slot);
  expect(0, comm.barrier(this_block()));  // every board's `mine` is there

  if (threadIdx.x == 0) {
    board.reduced = comm.load_reduce(&board.mine, Sum{});
    for (int p = 0; p < size; ++p) board.loaded[p] = comm.load_from(p, &board.mine);
    comm.store_all(&board.from_all[rank], board.mine + 0.5f);
    comm.store_to((rank + 1) % size, &board.from_left, board.mine + 0.25f);
  }
  expect(1, comm.barrier(Member{}, AcquireRelease{}));  // all have read, and stored

  // A thread a peer: data, then a signal that releases it, to every rank and to this one too.
  int const p = static_cast<int>(threadIdx.x);
  if (p < size) {
    comm.store_to(p, &board.payload[rank], 1000.0 * turn + 10.0 * rank + p);
    comm.signal(p, slot);
    expect(2, comm.wait(p, slot));
    board.signalled[p] = board.payload[p];
    // Two more that order nothing, told before the first is waited for.
    comm.signal(p, blocks + slot, Relaxed{});
    comm.signal(p, blocks + slot, Relaxed{});
    expect(3, comm.wait(p, blocks + slot, Relaxed{}) && comm.wait(p, blocks + slot, Relaxed{}));

    comm.send_packet(p, slot, Message{static_cast<float>(rank), turn});
    expect(4, comm.receive_packet(p, slot, board.messages[p]));
    Message second{};
    comm.send_packet(p, slot, Message{0.0f, -turn}, AcquireRelease{});
    expect(5, comm.receive_packet(p, slot, second, AcquireRelease{}));
    board.second_turns[p] = second.turn;
  }
  if (wrong != 0) atomicOr(&board.gone_wrong, wrong);
}

void run_verbs(Bootstrap& bootstrap) {
  EmulatedCudaStream const space;
  Communicator const comm(space, bootstrap, {.symmetric_bytes = 1 << 20, .timeout = std::chrono::seconds(20)});
  auto const array = symmetric_array<Board, 1>(comm, blocks);
  auto const memory = make_space_memory(space);
  std::vector<Board> boards(blocks);
  int const rank = comm.rank();
  int const size = comm.size();
  bootstrap.barrier();
  for (int turn = 1; turn <= turns; ++turn) {
    use_every_verb<<<blocks, threads, 0, space.stream().stream()>>>(comm.device(), array.pointer, turn);
    ASSERT_EQ(cudaGetLastError(), cudaSuccess);
    // Between users' kernels, a collective of the same communicator.
    barrier(CollectivePolicy(space, comm));
    memory->download(reinterpret_cast<std::byte*>(boards.data()), reinterpret_cast<std::byte const*>(array.pointer),
                     sizeof(Board) * blocks);
    comm.check();
    for (int b = 0; b < blocks; ++b) {
      Board const& board = boards[static_cast<std::size_t>(b)];
      EXPECT_EQ(board.gone_wrong, 0) << "rank " << rank << " of " << size << ", block " << b << ", turn " << turn;
      float sum = 0;
      for (int p = 0; p < size; ++p) {
        auto const of_p = static_cast<float>(100 * turn + p + b);
        sum += of_p;
        EXPECT_EQ(board.loaded[p], of_p);
        EXPECT_EQ(board.from_all[p], of_p + 0.5f);
        EXPECT_EQ(board.signalled[p], 1000.0 * turn + 10.0 * p + rank);
        EXPECT_EQ(board.messages[p].value, static_cast<float>(p));
        EXPECT_EQ(board.messages[p].turn, turn);
        EXPECT_EQ(board.second_turns[p], -turn) << "from " << p << " to " << rank << " of " << size << ", block " << b;
      }
      EXPECT_EQ(board.reduced, sum);
      EXPECT_EQ(board.from_left, static_cast<float>(100 * turn + (rank + size - 1) % size + b) + 0.25f);
    }
  }
  bootstrap.barrier();
}

class DeviceVerbsOf : public ::testing::TestWithParam<int> {};

TEST_P(DeviceVerbsOf, AnyNumberOfRanksDoWhatTheySayInUsersKernels) {
  run_thread_ranks(GetParam(), [](ThreadBootstrap& bootstrap) { run_verbs(bootstrap); });
}

INSTANTIATE_TEST_SUITE_P(Ranks, DeviceVerbsOf, ::testing::Values(1, 2, 3, 8),
                         [](auto const& i) { return ranks_name(i.param); });

__global__ void wait_for_nobody(DeviceCommunicator const comm, int* answers) {
  answers[0] = comm.wait((comm.rank() + 1) % comm.size(), 0);
}

TEST(DeviceVerbs, ReturnFalseWhenThePeerDoesNotCome) {
  run_thread_ranks(2, [](ThreadBootstrap& bootstrap) {
    EmulatedCudaStream const space;
    Communicator const comm(space, bootstrap, {.timeout = std::chrono::milliseconds(300)});
    auto const memory = make_space_memory(space);
    auto* const answers = reinterpret_cast<int*>(memory->private_memory());
    bootstrap.barrier();
    if (comm.rank() == 0) {
      wait_for_nobody<<<1, 1, 0, space.stream().stream()>>>(comm.device(), answers);
      ASSERT_EQ(cudaGetLastError(), cudaSuccess);
      int answer = 1;
      memory->download(reinterpret_cast<std::byte*>(&answer), reinterpret_cast<std::byte const*>(answers), sizeof answer);
      EXPECT_EQ(answer, 0);
      EXPECT_THROW(comm.check(), TimeoutError);
    }
    bootstrap.barrier();
  });
}

}  // namespace
}  // namespace Koinon::Testing
