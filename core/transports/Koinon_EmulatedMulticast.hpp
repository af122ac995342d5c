// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <arrays/Koinon_Pack.hpp>
#include <elements/Koinon_Elements.hpp>
#include <protocol/Koinon_DeviceCommunicator.hpp>
#include <reducers/Koinon_ReducerTraits.hpp>

#include <type_traits>

namespace Koinon::Impl {

/// Says why multicast hardware cannot reduce T with R; null: it can. The table of `multimem.ld_reduce`:
/// f16 and bf16 add, min, max; f32 and f64 add; 32- and 64-bit integers add (64-bit ones as unsigned), min, max and bits;
/// nothing else. An average is a sum and a division.
template <class T, class R>
consteval char const* multicast_refusal() {
  using Element = canonical_element_t<T>;
  using Reducer = canonical_reducer_t<R>;
  constexpr bool sum = std::is_same_v<Reducer, Sum> || std::is_same_v<Reducer, Average>;
  constexpr bool order = std::is_same_v<Reducer, Min> || std::is_same_v<Reducer, Max>;
  constexpr bool bits =
      std::is_same_v<Reducer, BAnd> || std::is_same_v<Reducer, BOr> || std::is_same_v<Reducer, BXor>;
  if constexpr (!sum && !order && !bits) {
    return "multicast hardware adds, takes minima and maxima, and combines bits; it has no such reducer";
  } else if constexpr (std::is_same_v<Element, float16> || std::is_same_v<Element, bfloat16>) {
    return sum || order ? nullptr : "multicast hardware has no bitwise reducer for floating-point elements";
  } else if constexpr (std::is_same_v<Element, float> || std::is_same_v<Element, double>) {
    return sum ? nullptr : "multicast hardware adds float and double elements only: it has no minimum or maximum of them";
  } else if constexpr (std::is_integral_v<Element> && !std::is_same_v<Element, bool> &&
                       (sizeof(Element) == 4 || sizeof(Element) == 8)) {
    return nullptr;
  } else {
    return "multicast hardware knows 32- and 64-bit integers, float16, bfloat16, float and double elements only";
  }
}

/// Does what a multicast address does: every rank's memory at one offset, by one access; rounds as the hardware does, to
/// the element type, after a sum in float for the half types.
template <class Block>
struct EmulatedMulticast {
  template <class T, class R, int N>
  [[nodiscard]] static KOINON_FORCE_INLINE Pack<T, N> load_reduce(DeviceCommunicator const& comm, T const* own) {
    using Hardware = std::conditional_t<std::is_same_v<canonical_reducer_t<R>, Average>, Sum, R>;
    ReducerTraits<Hardware, T> const reducer;
    typename ReducerTraits<Hardware, T>::accumulator sum[N];
    Pack<T, N> value = Block::template load_pack<T, N>(comm.peer_pointer(0, own));
    for (int n = 0; n < N; ++n) sum[n] = reducer.first(value.values[n]);
    for (int p = 1; p < comm.size(); ++p) {
      value = Block::template load_pack<T, N>(comm.peer_pointer(p, own));
      for (int n = 0; n < N; ++n) reducer.join(sum[n], value.values[n]);
    }
    for (int n = 0; n < N; ++n) value.values[n] = reducer.finish(sum[n], 1);
    return value;
  }

  template <class T, int N>
  static KOINON_FORCE_INLINE void store(DeviceCommunicator const& comm, T* own, Pack<T, N> const& pack) {
    for (int p = 0; p < comm.size(); ++p) Block::template store_pack<T, N>(comm.peer_pointer(p, own), pack);
  }
};

}  // namespace Koinon::Impl
