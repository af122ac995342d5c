// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <arrays/Koinon_Piece.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace Koinon::Impl {
namespace {

/// Is one thread of a block of several, one after the other: what a GPU's threads do side by side. Of elements of three
/// bytes a pack has five.
template <std::size_t PackElements>
class ThreadInTurn {
 public:
  template <class T>
  static constexpr std::size_t pack_elements = PackElements;
  static constexpr int ranks_in_flight = 4;

  ThreadInTurn(int thread, int threads) : m_thread(thread), m_threads(threads) {}
  [[nodiscard]] int thread() const { return m_thread; }
  [[nodiscard]] int threads() const { return m_threads; }

  template <class T, int N>
  static Pack<T, N> load_pack(T const* p) {
    Pack<T, N> pack;
    std::memcpy(&pack, p, sizeof pack);
    return pack;
  }
  template <class T, int N>
  static void store_pack(T* p, Pack<T, N> const& pack) {
    std::memcpy(p, &pack, sizeof pack);
  }
  void copy_bytes(void* to, void const* from, std::size_t bytes) const {
    if (m_thread == 0) std::memcpy(to, from, bytes);
  }
  bool stage_bytes(DeviceCommunicator const&, void* to, void const* from, std::size_t bytes) const {
    copy_bytes(to, from, bytes);
    return true;
  }

 private:
  int m_thread;
  int m_threads;
};

using Element = std::uint32_t;

/// Copies a range of a piece between two arrays, with packs of N, and expects that it, and nothing else, is there afterwards.
template <std::size_t N>
void expect_copied(int threads, Piece const& from, Piece const& to, Range range, std::ptrdiff_t column_stride = 1) {
  std::size_t const elements = 40000;
  std::vector<Element> source(elements);
  for (std::size_t i = 0; i < elements; ++i) source[i] = static_cast<Element>(i * 2654435761u + 1);
  std::vector<Element> result(elements, 0);
  std::vector<Element> expected(result);
  Array<Element, 2> whole(result.data(), 50, to.pitch);
  whole.strides[1] = column_stride;
  whole.strides[0] = column_stride == 1 ? static_cast<std::ptrdiff_t>(to.pitch + 5) : 1;
  Operand<Element> const out(whole);
  for (std::size_t e = range.begin; e < range.end; ++e) {
    std::size_t const in = from.begin + e / from.columns * from.pitch + e % from.columns;
    std::size_t const at = to.begin + e / to.columns * to.pitch + e % to.columns;
    expected[static_cast<std::size_t>(out.address(at) - result.data())] = source[in];
  }
  for (int thread = 0; thread < threads; ++thread) {
    copy_piece(ThreadInTurn<N>(thread, threads), nullptr, memory_of(out, to),
               memory_of(static_cast<Element const*>(source.data()), from), from.columns, range);
  }
  EXPECT_EQ(result, expected) << threads << " threads, packs of " << N << ", runs of " << from.columns << " of " << from.pitch << " to "
                              << to.pitch << ", [" << range.begin << ", " << range.end << ")";
}

TEST(Piece, EveryElementOfARangeIsCopiedOnceByThreadsThatTakePacksOrElementsOfRuns) {
  for (int const threads : {1, 3, 32}) {
    for (std::size_t const columns : {1, 3, 4, 8, 12, 13, 40, 64, 128, 512}) {
      std::size_t const rows = 11;
      for (std::size_t const more : {0, 1, 4}) {  // columns beside the piece
        Piece const from{.begin = 8, .count = rows * columns, .columns = columns, .pitch = columns + more};
        Piece const to{.begin = more, .count = rows * columns, .columns = columns, .pitch = columns + 2 * more};
        for (Range const range : {Range{0, rows * columns}, Range{4, rows * columns / 4 * 4}, Range{columns / 2, rows * columns - 1}, Range{3, 3}}) {
          if (range.end < range.begin) continue;
          expect_copied<4>(threads, from, to, range);
          expect_copied<5>(threads, from, to, range);
          expect_copied<4>(threads, from, to, range, 70);  // the columns apart in memory
        }
      }
    }
  }
}

TEST(Piece, PacksOfNoPowerOfTwoDoNotCrossTheEndOfARun) {
  // 3 | 6 | 3 | 0 | 10 is a multiple of five, and none of them but the last is.
  for (std::size_t const end : {5, 10, 20, 30}) {
    expect_copied<5>(8, {.begin = 0, .count = 33, .columns = 3, .pitch = 3}, {.begin = 0, .count = 33, .columns = 3, .pitch = 6},
                     {0, end});
  }
  expect_copied<5>(8, {.begin = 0, .count = 50, .columns = 10, .pitch = 10}, {.begin = 0, .count = 50, .columns = 10, .pitch = 15},
                   {10, 45});
}

TEST(Piece, WhatPeersReadNextIsStreamedWhereItsBlockSaysSo) {
  DeviceCommunicator const comm;
  std::vector<Element> const from(64, 7);
  std::vector<Element> to(64);
  Piece const all{.begin = 0, .count = 64, .columns = 64, .pitch = 64};
  auto const copy = [&](DeviceCommunicator const* peers) {
    return copy_piece(ThreadInTurn<4>(0, 1), peers, memory_of(to.data(), all), memory_of(from.data(), all), 64, {0, 64});
  };
  EXPECT_FALSE(copy(nullptr));
  EXPECT_TRUE(copy(&comm));
  EXPECT_EQ(to, from);
}

}  // namespace
}  // namespace Koinon::Impl
