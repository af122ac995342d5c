// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <arrays/Koinon_Operand.hpp>
#include <Koinon_Macros.hpp>
#include <protocol/Koinon_DeviceCommunicator.hpp>
#include <protocol/Koinon_Partition.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Two-dimensional pieces of arrays, and moves of them by all threads of a block. Every bit is kept.
namespace Koinon::Impl {

/// Is `count` elements of an array: runs of `columns` neighbours, one run every `pitch` elements from `begin` on, all in
/// the array's row-major order. Element e of a piece is the e-th of its runs one after the other.
struct Piece {
  std::size_t begin = 0;
  std::size_t count = 0;
  std::size_t columns = 1;  // never 0
  std::size_t pitch = 1;    // of the array: the elements of its rows

  /// Says whether the runs follow each other without a gap.
  [[nodiscard]] KOINON_FORCE_INLINE bool is_gapless() const { return pitch == columns; }
  /// Returns the same elements of an array that has nothing else.
  [[nodiscard]] KOINON_FORCE_INLINE Piece alone() const { return {0, count, columns, columns}; }
};

/// Is an element of a piece by its run and its place in it. One division; stepping on needs none.
struct RunPlace {
  std::size_t run;
  std::size_t column;

  KOINON_FORCE_INLINE RunPlace(std::size_t e, std::size_t columns) {
    if (((e | columns) >> 32) == 0) {  // a division of 32 bits takes a GPU a fifth of one of 64
      std::uint32_t const r = static_cast<std::uint32_t>(e) / static_cast<std::uint32_t>(columns);
      run = r;
      column = static_cast<std::uint32_t>(e) - r * static_cast<std::uint32_t>(columns);
    } else {
      run = e / columns;
      column = e - run * columns;
    }
  }
};

/// Is where the elements of a piece lie in memory: runs at equal distances, or, of an array with other strides, wherever
/// its operand says.
template <class T>
struct PieceMemory {
  T* origin = nullptr;       // of element 0
  std::ptrdiff_t pitch = 0;  // between runs
  Operand<T> const* strided = nullptr;
  std::size_t begin = 0;     // in the operand, with `row` elements from run to run
  std::size_t row = 0;

  [[nodiscard]] KOINON_FORCE_INLINE T* run(std::size_t i) const { return origin + static_cast<std::ptrdiff_t>(i) * pitch; }

  template <int N, class Block>
  [[nodiscard]] KOINON_FORCE_INLINE auto load(Block const& block, std::size_t i, std::size_t column) const {
    if (strided != nullptr) return strided->template load<N>(block, begin + i * row + column);
    return Block::template load_pack<std::remove_const_t<T>, N>(run(i) + column);
  }
  template <int N, class Block>
  KOINON_FORCE_INLINE void store(Block const& block, std::size_t i, std::size_t column, Pack<T, N> const& pack) const {
    if (strided != nullptr) return strided->store(block, begin + i * row + column, pack);
    Block::store_pack(run(i) + column, pack);
  }
};

/// Returns the memory of a piece of a dense array at `data`.
template <class T>
[[nodiscard]] KOINON_FORCE_INLINE PieceMemory<T> memory_of(T* data, Piece const& piece) {
  return {data + piece.begin, static_cast<std::ptrdiff_t>(piece.pitch)};
}
/// Returns the memory of a piece of an operand, whose rows may lie apart.
/// @pre the operand outlives what is returned
template <class T>
[[nodiscard]] KOINON_FORCE_INLINE PieceMemory<T> memory_of(Operand<T> const& a, Piece const& piece) {
  if (a.dense) return memory_of(a.pointer, piece);
  if (a.rank == 2 && a.strides[1] == 1 && a.extents[1] == piece.pitch) return {a.address(piece.begin), a.strides[0]};
  return {nullptr, 0, &a, piece.begin, piece.pitch};
}

/// Copies elements [range.begin, range.end) of short runs, spread over the block's threads in packs of N.
/// @pre no pack crosses the end of a run: `columns` and the range are multiples of N
template <int N, class T, class Block>
KOINON_FORCE_INLINE void copy_spread(Block const& block, PieceMemory<T> const& to, PieceMemory<T const> const& from,
                                     std::size_t columns, Range range) {
  constexpr int in_flight = Block::ranks_in_flight;  // loads that a thread issues before the first store
  std::size_t const stride = static_cast<std::size_t>(block.threads()) * N;
  std::size_t e = range.begin + static_cast<std::size_t>(block.thread()) * N;
  if (e >= range.end) return;
  RunPlace const first(e, columns);
  RunPlace const step(stride, columns);
  std::size_t column = first.column;
  T* to_at = to.run(first.run) + column;
  T const* from_at = from.run(first.run) + column;
  std::ptrdiff_t const over = -static_cast<std::ptrdiff_t>(columns);
  std::ptrdiff_t const to_step = static_cast<std::ptrdiff_t>(step.run) * to.pitch + static_cast<std::ptrdiff_t>(step.column);
  std::ptrdiff_t const from_step =
      static_cast<std::ptrdiff_t>(step.run) * from.pitch + static_cast<std::ptrdiff_t>(step.column);
  auto const advance = [&] {
    e += stride;
    column += step.column;
    to_at += to_step;
    from_at += from_step;
    if (column < columns) return;
    column -= columns;
    to_at += to.pitch + over;
    from_at += from.pitch + over;
  };
  while (e + (in_flight - 1) * stride < range.end) {
    T* places[in_flight];
    Pack<T, N> values[in_flight];
    KOINON_UNROLL
    for (int f = 0; f < in_flight; ++f) {
      places[f] = to_at;
      values[f] = Block::template load_pack<T, N>(from_at);
      advance();
    }
    KOINON_UNROLL
    for (int f = 0; f < in_flight; ++f) Block::store_pack(places[f], values[f]);
  }
  while (e < range.end) {
    Block::store_pack(to_at, Block::template load_pack<T, N>(from_at));
    advance();
  }
}

/// Calls f(run, first column, first element, elements) for each run that a range of elements touches.
template <class F>
KOINON_FORCE_INLINE void for_each_run(std::size_t columns, Range range, F&& f) {
  RunPlace const first(range.begin, columns);
  std::size_t run = first.run;
  std::size_t column = first.column;
  for (std::size_t e = range.begin; e < range.end; ++run) {
    std::size_t const length = smaller(columns - column, range.end - e);
    f(run, column, e, length);
    e += length;
    column = 0;
  }
}

/// Copies elements of which those of one array at least are no neighbours: run by run. On a device by a call: the
/// walk would cost the loops of dense arrays their registers.
template <class T, class Block>
KOINON_CALLED_FUNCTION void copy_strided(Block const block, PieceMemory<T> const to, PieceMemory<T const> const from,
                                         std::size_t columns, Range range) {
  for_each_run(columns, range, [&](std::size_t run, std::size_t column, std::size_t, std::size_t length) {
    for_each_pack<T>(block, column, column + length, [&](auto size, std::size_t c) {
      to.template store<size()>(block, run, c, from.template load<size()>(block, run, c));
    });
  });
}

/// Says whether all numbers are multiples of N: of a power of two by one division, of another by one each.
template <std::size_t N, class... Numbers>
[[nodiscard]] KOINON_FORCE_INLINE bool are_multiples(Numbers... numbers) {
  if constexpr ((N & (N - 1)) == 0) return (... | static_cast<std::size_t>(numbers)) % N == 0;
  return (... && (static_cast<std::size_t>(numbers) % N == 0));
}

/// Copies elements [range.begin, range.end) of a piece between two memories, both with runs of `columns`. Returns whether
/// it was streamed: then drain_streams() before the signal. On a device by a call: a kernel has several.
/// @param for_peers the communicator if a peer reads `to` next, else null
template <class T, class Block>
KOINON_CALLED_FUNCTION bool copy_piece(Block const block, DeviceCommunicator const* for_peers, PieceMemory<T> const to,
                                       PieceMemory<T const> const from, std::size_t columns, Range range) {
  if (range.size() == 0) return false;
  if (to.strided != nullptr || from.strided != nullptr) {
    copy_strided(block, to, from, columns, range);
    return false;
  }
  bool streamed = false;
  auto const bulk = [&](T* t, T const* f, std::size_t elements) {
    if (for_peers == nullptr) return block.copy_bytes(t, f, elements * sizeof(T));
    if (block.stage_bytes(*for_peers, t, f, elements * sizeof(T))) streamed = true;
  };
  auto const gapless = static_cast<std::ptrdiff_t>(columns);
  // Long runs one after the other; of short ones each thread takes packs wherever they are.
  constexpr std::size_t n = pack_elements<T, Block>;
  constexpr std::size_t vectors = 8;  // that a thread has in flight in a bulk copy
  std::size_t const threads = static_cast<std::size_t>(block.threads());
  std::uintptr_t const places = reinterpret_cast<std::uintptr_t>(to.origin) | reinterpret_cast<std::uintptr_t>(from.origin);
  bool const by_packs = are_multiples<n>(columns, to.pitch, from.pitch, range.begin, range.end) && places % 16 == 0;
  if (to.pitch == gapless && from.pitch == gapless) {
    bulk(to.origin + range.begin, from.origin + range.begin, range.size());
  } else if (columns * sizeof(T) >= (by_packs ? 16 * vectors : 4 * sizeof(T)) * threads) {
    for_each_run(columns, range, [&](std::size_t run, std::size_t column, std::size_t, std::size_t length) {
      bulk(to.run(run) + column, from.run(run) + column, length);
    });
  } else if (by_packs) {
    copy_spread<static_cast<int>(n)>(block, to, from, columns, range);
  } else {
    copy_spread<1>(block, to, from, columns, range);
  }
  return streamed;
}

}  // namespace Koinon::Impl
