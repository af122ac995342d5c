// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>

#include <cstddef>

namespace Koinon::Impl {

/// What a block of an NVIDIA GPU offers to rows: registers, shared memory, and a tree over its threads.
struct CudaRowWords {
  /// Values of a row that a thread keeps in registers.
  static constexpr int row_registers = 16;
  /// Columns of a row that the block's shared memory has room for.
  static constexpr std::size_t row_room_columns = 8192;

  [[nodiscard]] static KOINON_FORCE_INLINE float* row_room() {
#if defined(__CUDA_ARCH__)
    __shared__ float room[row_room_columns];
    return room;
#else
    return nullptr;
#endif
  }

  /// Joins each of N values over the first `threads` threads, neighbours first, and gives the results to all threads.
  /// By all threads of the block. @pre threads is a power of two; @param turn counts the calls between two barriers
  template <class Op, int N>
  static KOINON_FORCE_INLINE void join_threads([[maybe_unused]] float (&values)[N], [[maybe_unused]] std::size_t threads,
                                               [[maybe_unused]] unsigned turn) {
#if defined(__CUDA_ARCH__)
    // A thread that writes for the call after next has passed the barrier of the next, and so have all that read this one.
    __shared__ float of_warps[2][N][32];
    unsigned const lane = threadIdx.x % 32;
    unsigned const warp = threadIdx.x / 32;
    unsigned const warps = static_cast<unsigned>(threads) / 32;
    KOINON_UNROLL
    for (int n = 0; n < N; ++n) {
      values[n] = join_lanes<Op, 32>(values[n]);
      if (lane == 0) of_warps[turn % 2][n][warp] = values[n];
    }
    __syncthreads();
    KOINON_UNROLL
    for (int n = 0; n < N; ++n) values[n] = join_lanes<Op, 16>(lane % 16 < warps ? of_warps[turn % 2][n][lane % 16] : Op::identity);
#endif
  }

  /// Joins over `Lanes` neighbouring threads and gives the result to each of them. By all threads of a warp.
  template <class Op, int Lanes>
  [[nodiscard]] static KOINON_FORCE_INLINE float join_lanes(float value) {
#if defined(__CUDA_ARCH__)
    KOINON_UNROLL
    for (int apart = 1; apart < Lanes; apart *= 2) {
      value = Op::join(value, __shfl_xor_sync(0xFFFFFFFFu, value, apart));
    }
#endif
    return value;
  }
};

}  // namespace Koinon::Impl
