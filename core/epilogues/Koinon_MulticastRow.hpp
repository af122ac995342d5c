// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <arrays/Koinon_Pack.hpp>
#include <epilogues/Koinon_RowSpan.hpp>
#include <epilogues/Koinon_RowTree.hpp>
#include <Koinon_Macros.hpp>
#include <protocol/Koinon_DeviceCommunicator.hpp>

#include <cstddef>
#include <cstdint>

namespace Koinon::Impl {

/// Stores a pack of whole words at one offset of every rank's segment, by multicast. From one thread, between the
/// transport's begin and end. @pre `own`, this rank's address of it, is a multiple of 4
template <class Block, class T, int N>
KOINON_FORCE_INLINE void store_words_to_all(DeviceCommunicator const& comm, T* own, Pack<T, N> const& pack) {
  static_assert(sizeof pack % sizeof(std::uint32_t) == 0);
  constexpr int words = static_cast<int>(sizeof pack / sizeof(std::uint32_t));
  Pack<std::uint32_t, words> bits;
  __builtin_memcpy(&bits, &pack, sizeof bits);
  Block::template multimem_store<std::uint32_t, words>(comm, reinterpret_cast<std::uint32_t*>(own), bits);
}

/// Is one row that a Row stores at one offset of every rank's segment. Multicast stores no less than 4 bytes, so a last
/// group of narrower elements is stored whole, zeros behind the row's end.
/// @pre `own` is a multiple of 16, and the row's bytes, rounded up to 16, are its own
template <class T>
struct MulticastRow {
  using element = T;
  DeviceCommunicator const& comm;
  T* own;

  /// Stores value(e) in column + e, as RowSpan does.
  template <class Block, class Whole, class F>
  KOINON_FORCE_INLINE void store(Whole, std::size_t column, [[maybe_unused]] int n, F&& value) const {
    constexpr int size = columns_at_once<Whole>;
    if constexpr (Whole::value > 0 || sizeof(T) < sizeof(std::uint32_t)) {
      constexpr int most = row_pack<T, row_group>;
      KOINON_UNROLL
      for (int at = 0; at < size; at += most) {
        Pack<T, most> pack;
        KOINON_UNROLL
        for (int e = 0; e < most; ++e) {
          pack.values[e] = from_float<T>(Whole::value > 0 || at + e < n ? value(at + e) : 0.0f);
        }
        store_words_to_all<Block>(comm, own + column + at, pack);
      }
    } else {
      KOINON_UNROLL
      for (int e = 0; e < size; ++e) {
        if (e < n) store_words_to_all<Block>(comm, own + column + e, Pack<T, 1>{{from_float<T>(value(e))}});
      }
    }
  }
};
template <class T>
[[nodiscard]] KOINON_FORCE_INLINE MulticastRow<T> row_span(MulticastRow<T> const& row, std::size_t) {
  return row;
}

}  // namespace Koinon::Impl
