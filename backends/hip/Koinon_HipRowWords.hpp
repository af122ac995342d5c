// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_HipLanguage.hpp>
#include <Koinon_HipThreads.hpp>
#include <Koinon_Macros.hpp>

#include <cstddef>

namespace Koinon::Impl {

/// What a block of an AMD GPU offers to rows: registers, shared memory, and a tree over its threads. The tree is that of
/// neighbours first whatever the lanes of a wave, so results are those of any other GPU.
struct HipRowWords {
  /// Values of a row that a thread keeps in registers.
  static constexpr int row_registers = 16;
  /// Columns of a row that the block's shared memory has room for.
  static constexpr std::size_t row_room_columns = 8192;

  [[nodiscard]] static KOINON_FORCE_INLINE float* row_room() {
#if KOINON_DEVICE_PASS
    KOINON_HIP_SHARED float room[row_room_columns];
    return room;
#else
    return nullptr;
#endif
  }

  /// Joins each of N values over the first `threads` threads, neighbours first, and gives the results to all threads.
  /// By all threads of the block. @pre threads is a power of two, a wave's at least
  /// @param turn counts the calls between two barriers
  template <class Op, int N>
  static KOINON_FORCE_INLINE void join_threads([[maybe_unused]] float (&values)[N], [[maybe_unused]] std::size_t threads,
                                               [[maybe_unused]] unsigned turn) {
#if KOINON_DEVICE_PASS
    // A thread that writes for the call after next has passed the barrier of the next, and so have all that read this one.
    constexpr int most_waves = 1024 / HipThreads::wave;
    KOINON_HIP_SHARED float of_waves[2][N][most_waves];
    int const lane = HipThreads::thread() % HipThreads::wave;
    int const wave = HipThreads::thread() / HipThreads::wave;
    int const waves = static_cast<int>(threads) / HipThreads::wave;
    KOINON_UNROLL
    for (int n = 0; n < N; ++n) {
      values[n] = join_lanes<Op, HipThreads::wave>(values[n]);
      if (lane == 0) of_waves[turn % 2][n][wave] = values[n];
    }
    HipThreads::meet();
    KOINON_UNROLL
    for (int n = 0; n < N; ++n) {
      int const other = lane % most_waves;
      values[n] = join_lanes<Op, most_waves>(other < waves ? of_waves[turn % 2][n][other] : Op::identity);
    }
#endif
  }

  /// Joins over `Lanes` neighbouring threads and gives the result to each of them. By all threads of a wave.
  template <class Op, int Lanes>
  [[nodiscard]] static KOINON_FORCE_INLINE float join_lanes(float value) {
    KOINON_UNROLL
    for (int apart = 1; apart < Lanes; apart *= 2) value = Op::join(value, HipThreads::shuffle_xor(value, apart));
    return value;
  }
};

}  // namespace Koinon::Impl
