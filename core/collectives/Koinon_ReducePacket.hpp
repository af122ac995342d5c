// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <arrays/Koinon_Operand.hpp>
#include <Koinon_Macros.hpp>
#include <protocol/Koinon_Packets.hpp>
#include <reducers/Koinon_ReducerTraits.hpp>

#include <cstddef>

namespace Koinon::Impl {

/// Reduces one packet of every rank in rank order, this rank's elements from `own`, and stores them to out from i on.
/// Nothing is stored when a wait is given up.
template <class Block, class T, class R>
KOINON_FORCE_INLINE void reduce_packet(Launch<Block> const& launch, std::size_t packet, T const* own, int elements,
                                       Operand<T> const& out, std::size_t i, ReducerTraits<R, T> const& reducer) {
  constexpr int n = packet_elements<T, Block>;
  T room[n];
  T result[n];
  int const last = launch.size() - 1;
  auto const values_of = [&](int p) {
    return p == launch.rank() ? own : receive_packet(launch, p, packet, room, elements);
  };
  // Straight to a dense output. It may be where `own` is, element for element.
  T* const to = out.dense ? out.pointer + i : result;
  T const* value = values_of(0);
  if (value == nullptr) return;
  if (last == 1) {
    T const* const other = values_of(1);
    if (other == nullptr) return;
    KOINON_INDEPENDENT_ELEMENTS
    for (int e = 0; e < elements; ++e) {
      auto sum = reducer.first(element_at(value + e));
      reducer.join(sum, element_at(other + e));
      put_element(to + e, reducer.finish(sum, 2));
    }
  } else {
    typename ReducerTraits<R, T>::accumulator sum[n];
    for (int e = 0; e < elements; ++e) sum[e] = reducer.first(element_at(value + e));
    for (int p = 1; p < last; ++p) {
      value = values_of(p);
      if (value == nullptr) return;
      for (int e = 0; e < elements; ++e) reducer.join(sum[e], element_at(value + e));
    }
    if (last > 0) {
      value = values_of(last);
      if (value == nullptr) return;
    }
    KOINON_INDEPENDENT_ELEMENTS
    for (int e = 0; e < elements; ++e) {  // the last join and the rounding in one pass
      if (last > 0) reducer.join(sum[e], element_at(value + e));
      put_element(to + e, reducer.finish(sum[e], launch.size()));
    }
  }
  if (!out.dense) out.store_some(i, result, elements);
}

}  // namespace Koinon::Impl
