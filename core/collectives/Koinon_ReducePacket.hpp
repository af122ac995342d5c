// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <arrays/Koinon_Operand.hpp>
#include <Koinon_Macros.hpp>
#include <protocol/Koinon_Packets.hpp>
#include <reducers/Koinon_ReducerTraits.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Koinon::Impl {

/// Calls f(e) for the elements of a packet, several at once where that can be and R's joins of different elements are known
/// to be apart: a user's functor may keep a count or a state behind a pointer, so its elements come one after the other.
template <class T, class R, class F>
KOINON_FORCE_INLINE void for_each_element(int elements, F&& f) {
  if constexpr (std::is_arithmetic_v<T> && reducer_kind_v<R> != ReducerKind::user) {
    KOINON_INDEPENDENT_ELEMENTS
    for (int e = 0; e < elements; ++e) f(e);
  } else {
    for (int e = 0; e < elements; ++e) f(e);
  }
}

/// By loops over packets where they lie. finish(sum) gives what is stored. False: a wait was given up.
template <class Block, class T, class R, class Out, class Finish>
KOINON_FORCE_INLINE bool reduce_packet_by_loops(Launch<Block> const& launch, std::size_t packet, T const* own, int elements,
                                                Operand<Out> const& out, std::size_t i,
                                                ReducerTraits<R, T> const& reducer, Finish const& finish) {
  constexpr int n = packet_elements<T, Block>;
  T room[n];
  Out result[n];
  int const last = launch.size() - 1;
  auto const values_of = [&](int p) {
    return p == launch.rank() ? own : receive_packet(launch, p, packet, room, elements);
  };
  // Straight to a dense output. It may be where `own` is, element for element.
  Out* const to = out.dense ? out.pointer + i : result;
  T const* value = values_of(0);
  if (value == nullptr) return false;
  if (last == 1) {
    T const* const other = values_of(1);
    if (other == nullptr) return false;
    for_each_element<T, R>(elements, [&](int e) {
      auto sum = reducer.first(element_at(value + e));
      reducer.join(sum, element_at(other + e));
      put_element(to + e, finish(sum));
    });
  } else {
    typename ReducerTraits<R, T>::accumulator sum[n];
    for (int e = 0; e < elements; ++e) sum[e] = reducer.first(element_at(value + e));
    for (int p = 1; p < last; ++p) {
      value = values_of(p);
      if (value == nullptr) return false;
      for (int e = 0; e < elements; ++e) reducer.join(sum[e], element_at(value + e));
    }
    if (last > 0) {
      value = values_of(last);
      if (value == nullptr) return false;
    }
    for_each_element<T, R>(elements, [&](int e) {  // the last join and the rounding in one pass
      if (last > 0) reducer.join(sum[e], element_at(value + e));
      put_element(to + e, finish(sum[e]));
    });
  }
  if (!out.dense) out.store_some(i, result, elements);
  return true;
}

/// Is 0 as a type, and as one that a device converts.
struct FirstRank {
  KOINON_FORCE_INLINE constexpr operator int() const { return 0; }  // NOLINT(google-explicit-constructor)
};

/// In registers, the packets of `Most` ranks in flight; then keep(sums). False: a wait was given up.
template <int Most, class Block, class T, class R, class Keep>
KOINON_FORCE_INLINE bool reduce_packet_in_registers(Launch<Block> const& launch, std::size_t packet, int elements,
                                                    ReducerTraits<R, T> const& reducer, Keep&& keep) {
  constexpr int n = packet_elements<T, Block>;
  // What a packet has no elements for is zero. A user's functor is not asked about values that are nobody's.
  constexpr bool elements_only = reducer_kind_v<R> == ReducerKind::user;
  typename ReducerTraits<R, T>::accumulator sum[n];
  auto const join = [&](auto const first) {  // a constant where the packets of all ranks are in flight at once
    typename Block::PacketContent contents[Most];
    auto const wants = [&](int s) { return s == 0 || first + s < launch.size(); };
    if (!receive_contents<Most>(launch, first, packet, wants, contents)) return false;
    KOINON_UNROLL
    for (int s = 0; s < Most; ++s) {
      if (!wants(s)) continue;
      KOINON_UNROLL
      for (int e = 0; e < n; ++e) {
        if (elements_only && e >= elements) continue;
        T const value = Block::template get<T>(contents[s], e);
        if (s == 0 && first == 0) {
          sum[e] = reducer.first(value);
        } else {
          reducer.join(sum[e], value);
        }
      }
    }
    return true;
  };
  if constexpr (Most < Block::packets_in_flight) {
    if (!join(FirstRank{})) return false;
  } else {
    KOINON_KEEP_ROLLED
    for (int first = 0; first < launch.size(); first += Most) {
      if (!join(first)) return false;
    }
  }
  keep(sum);
  return true;
}

/// Reduces one packet of every rank in rank order, this rank's elements from in(at) on, and stores them to out(i) on.
/// Nothing is stored when a wait is given up.
template <class Block, class T, class R>
KOINON_FORCE_INLINE void reduce_packet(Launch<Block> const& launch, std::size_t packet, Operand<T const> const& in,
                                       std::size_t at, int elements, Operand<T> const& out, std::size_t i,
                                       ReducerTraits<R, T> const& reducer) {
  constexpr int n = packet_elements<T, Block>;
  if constexpr (Block::packets_in_flight > 1) {
    constexpr bool elements_only = reducer_kind_v<R> == ReducerKind::user;
    with_packets_in_flight<Block>(launch.size(), [&](auto most) {
      reduce_packet_in_registers<most()>(launch, packet, elements, reducer, [&](auto const& sum) {
        typename Block::PacketContent result{};
        KOINON_UNROLL
        for (int e = 0; e < n; ++e) {
          if (!elements_only || e < elements) Block::put(result, e, reducer.finish(sum[e], launch.size()));
        }
        store_content<T, Block>(out, i, result, elements);
      });
    });
  } else {
    T room[n];
    reduce_packet_by_loops(launch, packet, in.read(room, at, elements), elements, out, i, reducer,
                           [&](auto const& sum) { return reducer.finish(sum, launch.size()); });
  }
}

/// The same, completed and not rounded, to `to`, in order of the elements. False: a wait was given up.
template <class Block, class T, class R>
[[nodiscard]] KOINON_FORCE_INLINE bool reduce_packet_wide(Launch<Block> const& launch, std::size_t packet,
                                                          Operand<T const> const& in, std::size_t at, int elements, float* to,
                                                          ReducerTraits<R, T> const& reducer) {
  constexpr int n = packet_elements<T, Block>;
  if constexpr (Block::packets_in_flight > 1) {
    return with_packets_in_flight<Block>(launch.size(), [&](auto most) {
      return reduce_packet_in_registers<most()>(launch, packet, elements, reducer, [&](auto const& sum) {
        KOINON_UNROLL
        for (int e = 0; e < n; ++e) {
          if (e < elements) to[e] = reducer.complete(sum[e], launch.size());
        }
      });
    });
  } else {
    Operand<float> result;
    result.pointer = to;
    result.count = static_cast<std::size_t>(elements);
    T room[n];
    return reduce_packet_by_loops(launch, packet, in.read(room, at, elements), elements, result, 0, reducer,
                                  [&](auto const& sum) { return reducer.complete(sum, launch.size()); });
  }
}

}  // namespace Koinon::Impl
