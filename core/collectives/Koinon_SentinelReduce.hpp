// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <arrays/Koinon_Operand.hpp>
#include <protocol/Koinon_Partition.hpp>
#include <protocol/Koinon_Sentinels.hpp>
#include <reducers/Koinon_ReducerTraits.hpp>

#include <cstddef>
#include <cstdint>

/// Low-latency reductions of more than packets have room for: sentinels, two launches' worth of which lie ready.
namespace Koinon::Impl {

// What lies between vectors, or is less than one: rare, and by a call, so that it takes no registers of the usual way.
template <class T, class Vector>
[[nodiscard]] KOINON_CALLED_FUNCTION Vector gather_vector(Operand<T const> const& from, std::size_t i, int elements) {
  Pack<T, static_cast<int>(16 / sizeof(T))> pack{};
  from.load_some(pack.values, i, elements);
  Vector value;
  __builtin_memcpy(static_cast<void*>(&value), &pack, 16);
  make_sendable<T>(value);
  return value;
}
template <class T, class Vector>
KOINON_CALLED_FUNCTION void scatter_vector(Operand<T> const& to, std::size_t i, Vector value, int elements) {
  Pack<T, static_cast<int>(16 / sizeof(T))> pack;
  __builtin_memcpy(static_cast<void*>(&pack), &value, 16);
  to.store_some(i, pack.values, elements);
}

/// Is one block's part of a reduction over sentinels: it gives each rank the elements that the rank reduces, reduces
/// its own, and, fanned out, gives the results to all. A thread has the same vectors of a range in every step, so in
/// place is safe: an element is stored by the thread that sent it, or after the results that peers sent arrived.
///
/// @tparam InFlight vectors of peers that are awaited together: of `RanksAtOnce` ranks
/// @tparam FansOut  results go to all ranks, into the second half of the slots
/// @param range_of  the elements of `in` that a rank reduces, by rank
template <bool FansOut, int RanksAtOnce, int InFlight, class T, class R, class Block, class RangeOf>
struct SentinelReduction {
  using Vector = typename Block::Vector;
  static constexpr std::size_t n = 16 / sizeof(T);
  static constexpr int window = InFlight / RanksAtOnce;  // vectors of a range at a time

  Launch<Block>& launch;
  Operand<T const> const& in;
  Operand<T> const& out;
  ReducerTraits<R, T> const& reducer;
  RangeOf const& range_of;
  std::size_t first_out;  // out's first element in the whole

  [[nodiscard]] static KOINON_FORCE_INLINE std::size_t vectors_of(Range range) { return (range.size() + n - 1) / n; }
  [[nodiscard]] KOINON_FORCE_INLINE std::size_t stride() const {
    return static_cast<std::size_t>(launch.block().threads()) * static_cast<std::size_t>(launch.block().count());
  }
  /// Returns the f-th vector of this thread in a chunk.
  [[nodiscard]] KOINON_FORCE_INLINE std::size_t vector_of(std::size_t chunk, int f) const {
    std::size_t const first =
        static_cast<std::size_t>(launch.block().index()) * static_cast<std::size_t>(launch.block().threads()) +
        static_cast<std::size_t>(launch.block().thread());
    return first + (chunk * window + static_cast<std::size_t>(f)) * stride();
  }
  [[nodiscard]] KOINON_FORCE_INLINE std::byte* slot(int at, int writer, bool result) const {
    DeviceCommunicator const& comm = launch.comm();
    return comm.sentinels(at, writer, launch.half()) + (result ? comm.m_layout.sentinel_slot_bytes / 2 : 0);
  }
  /// Says whether the vectors of an operand from element i on lie as the accesses want them.
  template <class Element>
  [[nodiscard]] static KOINON_FORCE_INLINE bool lies_well(Operand<Element> const& a, std::size_t i) {
    return a.dense && reinterpret_cast<std::uintptr_t>(a.pointer + i) % 16 == 0;
  }
  [[nodiscard]] KOINON_FORCE_INLINE Vector load(Range range, bool well, std::size_t v) const {
    std::size_t const i = range.begin + v * n;
    if (well && i + n <= range.end) {
      Vector value = Block::load_data(in.pointer + i);
      make_sendable<T>(value);
      return value;
    }
    return gather_vector<T, Vector>(in, i, static_cast<int>(smaller(n, range.end - i)));
  }
  KOINON_FORCE_INLINE void store(Range range, bool well, std::size_t v, Vector const& value) const {
    std::size_t const i = range.begin + v * n;
    if (well && i + n <= range.end) {
      Block::store_data(out.pointer + (i - first_out), value);
    } else {
      scatter_vector<T>(out, i - first_out, value, static_cast<int>(smaller(n, range.end - i)));
    }
  }

  /// Stores this rank's contributions of a chunk to the ranks that reduce them.
  KOINON_FORCE_INLINE void send(std::size_t chunk) const {
    KOINON_KEEP_ROLLED
    for (int turn = 1; turn < launch.size(); ++turn) {
      int const p = launch.peer(turn);
      Range const range = range_of(p);
      bool const well = lies_well(in, range.begin);
      std::byte* const to = slot(p, launch.rank(), false);
      Vector values[window];
      KOINON_UNROLL
      for (int f = 0; f < window; ++f) {
        if (vector_of(chunk, f) < vectors_of(range)) values[f] = load(range, well, vector_of(chunk, f));
      }
      KOINON_UNROLL
      for (int f = 0; f < window; ++f) {
        if (vector_of(chunk, f) < vectors_of(range)) Block::store_whole(to + 16 * vector_of(chunk, f), values[f]);
      }
    }
  }

  /// Reduces a chunk of the own range. False: a wait was given up.
  [[nodiscard]] KOINON_FORCE_INLINE bool reduce(std::size_t chunk) const {
    Range const range = range_of(launch.rank());
    if (vector_of(chunk, 0) >= vectors_of(range)) return true;
    bool const well = lies_well(in, range.begin);
    typename ReducerTraits<R, T>::accumulator sum[window][n];
    KOINON_KEEP_ROLLED
    for (int first = 0; first < launch.size(); first += RanksAtOnce) {
      // s: rank first + s / window, vector s % window
      auto const has = [&](int s) {
        return first + s / window < launch.size() && vector_of(chunk, s % window) < vectors_of(range);
      };
      auto const is_own = [&](int s) { return first + s / window == launch.rank(); };
      Vector vectors[InFlight];
      bool const arrived = receive_sentinels<InFlight>(
          launch, [&](int s) { return has(s) && !is_own(s); },
          [&](int s) { return slot(launch.rank(), first + s / window, false) + 16 * vector_of(chunk, s % window); },
          [&](int s) { return first + s / window; }, vectors);
      if (!arrived) return false;
      KOINON_UNROLL
      for (int s = 0; s < InFlight; ++s) {
        if (!has(s)) continue;
        if (is_own(s)) vectors[s] = load(range, well, vector_of(chunk, s % window));
        Pack<T, static_cast<int>(n)> pack;
        __builtin_memcpy(static_cast<void*>(&pack), &vectors[s], 16);
        KOINON_UNROLL
        for (std::size_t e = 0; e < n; ++e) {
          if (first + s / window == 0) {
            sum[s % window][e] = reducer.first(pack.values[e]);
          } else {
            reducer.join(sum[s % window][e], pack.values[e]);
          }
        }
      }
    }
    KOINON_UNROLL
    for (int f = 0; f < window; ++f) {
      std::size_t const v = vector_of(chunk, f);
      if (v >= vectors_of(range)) continue;
      Pack<T, static_cast<int>(n)> result;
      KOINON_UNROLL
      for (std::size_t e = 0; e < n; ++e) result.values[e] = reducer.finish(sum[f][e], launch.size());
      Vector value;
      __builtin_memcpy(static_cast<void*>(&value), &result, 16);
      make_sendable<T>(value);
      if constexpr (FansOut) {
        KOINON_KEEP_ROLLED
        for (int turn = 1; turn < launch.size(); ++turn) {
          Block::store_whole(slot(launch.peer(turn), launch.rank(), true) + 16 * v, value);
        }
      }
      store(range, lies_well(out, range.begin - first_out), v, value);
    }
    return true;
  }

  /// Takes the peers' results of a chunk. False: a wait was given up.
  [[nodiscard]] KOINON_FORCE_INLINE bool collect(std::size_t chunk) const {
    KOINON_KEEP_ROLLED
    for (int turn = 1; turn < launch.size(); ++turn) {
      int const p = launch.peer(turn);
      Range const range = range_of(p);
      auto const has = [&](int f) { return vector_of(chunk, f) < vectors_of(range); };
      Vector vectors[window];
      bool const arrived = receive_sentinels<window>(
          launch, has, [&](int f) { return slot(launch.rank(), p, true) + 16 * vector_of(chunk, f); },
          [&](int) { return p; }, vectors);
      if (!arrived) return false;
      KOINON_UNROLL
      for (int f = 0; f < window; ++f) {
        if (has(f)) store(range, lies_well(out, range.begin), vector_of(chunk, f), vectors[f]);
      }
    }
    return true;
  }

  /// @param longest the elements of the longest range
  KOINON_FORCE_INLINE void run(std::size_t longest) const {
    if (!launch.before_first_store()) return;
    std::size_t const chunks = divided_up((longest + n - 1) / n, stride() * window);
    // Chunk c is under way while chunk c - 1 is reduced; every slot has room for the whole message, so nobody waits to
    // send.
    for (std::size_t turn = 0; turn <= chunks + (FansOut ? 1 : 0); ++turn) {
      if (turn < chunks) send(turn);
      if (turn == 0) {
        launch.confirm_alone();
        continue;
      }
      if (turn <= chunks && !reduce(turn - 1)) return;
      if constexpr (FansOut) {
        if (turn > 1 && !collect(turn - 2)) return;
      }
    }
    // This block's first thread had data of every peer, if the block had any of the own range.
    std::size_t const before =
        static_cast<std::size_t>(launch.block().index()) * static_cast<std::size_t>(launch.block().threads());
    if (before < vectors_of(range_of(launch.rank()))) launch.learn_all();
  }
};

/// Reduces over sentinels: few ranks with several vectors in flight, more with one of each.
template <bool FansOut, class T, class R, class Block, class RangeOf>
KOINON_FORCE_INLINE void reduce_over_sentinels(Launch<Block>& launch, Operand<T const> const& in, Operand<T> const& out,
                                               ReducerTraits<R, T> const& reducer, std::size_t longest,
                                               RangeOf const& range_of) {
  std::size_t const first_out = FansOut ? 0 : range_of(launch.rank()).begin;
  if (launch.size() <= 2) {
    SentinelReduction<FansOut, 2, 4, T, R, Block, RangeOf>{launch, in, out, reducer, range_of, first_out}.run(longest);
  } else {
    SentinelReduction<FansOut, 4, 4, T, R, Block, RangeOf>{launch, in, out, reducer, range_of, first_out}.run(longest);
  }
}

}  // namespace Koinon::Impl
