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
/// @tparam FansOut     results go to all ranks, into the second half of the slots
/// @tparam RanksAtOnce ranks whose vectors are awaited together, of each turn's
/// @param range_of     the elements of `in` that a rank reduces, by rank
template <bool FansOut, int RanksAtOnce, class T, class R, class Block, class RangeOf>
struct SentinelReduction {
  using Vector = typename Block::Vector;
  static constexpr std::size_t n = 16 / sizeof(T);
  using Elements = Pack<T, static_cast<int>(n)>;

  /// Vectors of a turn: their loads are under way together. A block that asks for all words keeps each twice.
  static constexpr int at_a_time = FansOut || asks_for_all<Block> ? 1 : 2;
  static constexpr int awaited = RanksAtOnce * at_a_time;
  /// Turns that a thread has sent before it waits for the first: what is under way on a link.
  static constexpr std::size_t ahead = 4 / at_a_time;

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
  /// Returns one of this thread's vectors of a turn.
  [[nodiscard]] KOINON_FORCE_INLINE std::size_t vector_of(std::size_t turn, int which = 0) const {
    auto const threads = static_cast<std::size_t>(launch.block().threads());
    return static_cast<std::size_t>(launch.block().index()) * threads +
           static_cast<std::size_t>(launch.block().thread()) +
           (turn * at_a_time + static_cast<std::size_t>(which)) * stride();
  }
  [[nodiscard]] KOINON_FORCE_INLINE std::byte* slot(int at, int writer, bool result, std::size_t v) const {
    DeviceCommunicator const& comm = launch.comm();
    return comm.sentinels(at, writer, launch.half()) + (result ? comm.m_layout.sentinel_slot_bytes / 2 : 0) + 16 * v;
  }
  /// Says whether the vectors of an operand from element i on lie as the accesses want them.
  template <class Element>
  [[nodiscard]] static KOINON_FORCE_INLINE bool lies_well(Operand<Element> const& a, std::size_t i) {
    return a.dense && reinterpret_cast<std::uintptr_t>(a.pointer + i) % 16 == 0;
  }
  [[nodiscard]] KOINON_FORCE_INLINE Vector load(Range range, std::size_t v) const {
    std::size_t const i = range.begin + v * n;
    if (i + n <= range.end && lies_well(in, range.begin)) {
      Vector value = Block::load_data(in.pointer + i);
      make_sendable<T>(value);
      return value;
    }
    return gather_vector<T, Vector>(in, i, static_cast<int>(smaller(n, range.end - i)));
  }
  KOINON_FORCE_INLINE void store(Range range, std::size_t v, Vector const& value) const {
    std::size_t const i = range.begin + v * n;
    if (i + n <= range.end && lies_well(out, range.begin - first_out)) {
      Block::store_data(out.pointer + (i - first_out), value);
    } else {
      scatter_vector<T>(out, i - first_out, value, static_cast<int>(smaller(n, range.end - i)));
    }
  }

  /// Asks for what the i-th peer gets in a turn.
  KOINON_FORCE_INLINE void fetch(int i, std::size_t turn, Vector (&values)[at_a_time]) const {
    Range const range = range_of(launch.peer(i));
    KOINON_UNROLL
    for (int u = 0; u < at_a_time; ++u) {
      if (vector_of(turn, u) < vectors_of(range)) values[u] = load(range, vector_of(turn, u));
    }
  }
  KOINON_FORCE_INLINE void give(int i, std::size_t turn, Vector const (&values)[at_a_time]) const {
    int const p = launch.peer(i);
    Range const range = range_of(p);
    KOINON_UNROLL
    for (int u = 0; u < at_a_time; ++u) {
      std::size_t const v = vector_of(turn, u);
      if (v < vectors_of(range)) Block::store_whole(slot(p, launch.rank(), false, v), values[u]);
    }
  }
  /// Stores this rank's contributions of a turn to the ranks that reduce them, and asks for the first peer's of the next.
  /// @param next the first peer's of this turn, and then of the next
  KOINON_FORCE_INLINE void send(std::size_t turn, Vector (&next)[at_a_time]) const {
    give(1, turn, next);
    fetch(1, turn + 1, next);
    KOINON_KEEP_ROLLED
    for (int i = 2; i < launch.size(); ++i) {
      Vector values[at_a_time];
      fetch(i, turn, values);
      give(i, turn, values);
    }
  }

  /// Reduces a turn's vectors of the own range. False: a wait was given up.
  [[nodiscard]] KOINON_FORCE_INLINE bool reduce(std::size_t turn) const {
    int const me = launch.rank();
    Range const range = range_of(me);
    std::size_t const all = vectors_of(range);
    if (vector_of(turn) >= all) return true;
    auto const is_there = [&](int u) { return u == 0 || vector_of(turn, u) < all; };
    typename ReducerTraits<R, T>::accumulator sums[at_a_time][n];
    KOINON_KEEP_ROLLED
    for (int first = 0; first < launch.size(); first += RanksAtOnce) {
      Vector vectors[awaited];
      auto const rank_of = [&](int s) { return first + s / at_a_time; };
      KOINON_UNROLL
      for (int s = 0; s < awaited; ++s) {  // under way while the peers' are awaited
        if (rank_of(s) == me && is_there(s % at_a_time)) vectors[s] = load(range, vector_of(turn, s % at_a_time));
      }
      bool const arrived = receive_sentinels<awaited>(
          launch, [&](int s) { return rank_of(s) < launch.size() && rank_of(s) != me && is_there(s % at_a_time); },
          [&](int s) { return slot(me, rank_of(s), false, vector_of(turn, s % at_a_time)); }, rank_of, vectors);
      if (!arrived) return false;
      KOINON_UNROLL
      for (int s = 0; s < awaited; ++s) {
        if (rank_of(s) >= launch.size() || !is_there(s % at_a_time)) continue;
        Elements values;
        __builtin_memcpy(static_cast<void*>(&values), &vectors[s], 16);
        KOINON_UNROLL
        for (std::size_t e = 0; e < n; ++e) {
          auto& sum = sums[s % at_a_time][e];
          if (s < at_a_time && first == 0) {
            sum = reducer.first(values.values[e]);
          } else {
            reducer.join(sum, values.values[e]);
          }
        }
      }
    }
    KOINON_UNROLL
    for (int u = 0; u < at_a_time; ++u) {
      if (is_there(u)) keep(range, vector_of(turn, u), sums[u]);
    }
    return true;
  }

  /// Stores a reduced vector, and gives it to all who take it.
  template <class Sums>
  KOINON_FORCE_INLINE void keep(Range range, std::size_t v, Sums const& sums) const {
    Elements result;
    KOINON_UNROLL
    for (std::size_t e = 0; e < n; ++e) result.values[e] = reducer.finish(sums[e], launch.size());
    Vector value;
    __builtin_memcpy(static_cast<void*>(&value), &result, 16);
    make_sendable<T>(value);
    if constexpr (FansOut) {
      KOINON_KEEP_ROLLED
      for (int i = 1; i < launch.size(); ++i) Block::store_whole(slot(launch.peer(i), launch.rank(), true, v), value);
    }
    store(range, v, value);
  }

  /// Takes the peers' results of a turn. False: a wait was given up.
  [[nodiscard]] KOINON_FORCE_INLINE bool collect(std::size_t turn) const {
    std::size_t const v = vector_of(turn);
    KOINON_KEEP_ROLLED
    for (int i = 1; i < launch.size(); ++i) {
      int const p = launch.peer(i);
      Range const range = range_of(p);
      if (v >= vectors_of(range)) continue;
      Vector value[1];
      bool const arrived = receive_sentinels<1>(
          launch, [](int) { return true; }, [&](int) { return slot(launch.rank(), p, true, v); },
          [&](int) { return p; }, value);
      if (!arrived) return false;
      store(range, v, value[0]);
    }
    return true;
  }

  /// @param longest the elements of the longest range
  KOINON_FORCE_INLINE void run(std::size_t longest) const {
    if (!launch.before_first_store()) return;
    std::size_t const turns = divided_up((longest + n - 1) / n, at_a_time * stride());
    Vector next[at_a_time];
    if (launch.size() > 1) fetch(1, 0, next);
    // Every slot has room for the whole message, so nobody waits to send.
    for (std::size_t turn = 0; turn < turns + ahead + (FansOut ? 1 : 0); ++turn) {
      if (turn < turns && launch.size() > 1) send(turn, next);
      if (turn + 1 == ahead) launch.confirm_alone();
      if (turn < ahead) continue;
      if (turn < turns + ahead && !reduce(turn - ahead)) return;
      if constexpr (FansOut) {
        if (turn > ahead && !collect(turn - ahead - 1)) return;
      }
    }
    // This block's first thread had data of every peer, if the block had any of the own range.
    auto const before =
        static_cast<std::size_t>(launch.block().index()) * static_cast<std::size_t>(launch.block().threads());
    if (before < vectors_of(range_of(launch.rank()))) launch.learn_all();
  }
};

}  // namespace Koinon::Impl
