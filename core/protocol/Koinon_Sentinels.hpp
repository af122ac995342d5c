// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <arrays/Koinon_Pack.hpp>
#include <elements/Koinon_Elements.hpp>
#include <protocol/Koinon_Launch.hpp>
#include <reducers/Koinon_ReducerTraits.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

/// Sentinels: data that is its own flag, without a number beside it. A buffer is all ones until data comes, 16 bytes by
/// one access, of which as many as the vector says are seen whole; who has read them makes them all ones again. So a message takes no more bytes than its data, and no
/// fence.
///
/// What is sent is never all ones: only reductions of floating-point elements send so, where all ones are NaN and
/// another NaN says the same. A half of the buffers is written again two launches later, when the reader's launch has
/// ended and with it what made them all ones (first-store rule); a wrap of the launch numbers changes nothing for them.
namespace Koinon::Impl {

/// Is a block that has them: Block::Vector of four words, stored and loaded as one access, and moves of data that nothing
/// hangs on.
template <class Block>
concept SentinelVocabulary = requires { typename Block::Vector; } && requires(std::byte* p, typename Block::Vector v) {
  Block::store_whole(p, v);
  { Block::load_whole(p) } -> std::same_as<typename Block::Vector>;
  Block::store_data(p, v);
  { Block::load_data(p) } -> std::same_as<typename Block::Vector>;
};

/// Returns the bytes of a floating-point number of T; 0: T is none.
template <class T>
[[nodiscard]] consteval std::size_t floating_bytes() {
  if constexpr (std::is_floating_point_v<T> || is_narrow_float<T>) return sizeof(T) <= 8 ? sizeof(T) : 0;
  if constexpr (is_complex<T>) return sizeof(T) / 2;
  return 0;
}

/// Says whether a reduction's elements may be sent so. A user's functor may look at the bits of a NaN.
template <class T, class R>
inline constexpr bool sends_sentinels = floating_bytes<T>() > 0 && sizeof(T) <= 16 &&
                                        (reducer_kind_v<R> == ReducerKind::arithmetic ||
                                         reducer_kind_v<R> == ReducerKind::order ||
                                         reducer_kind_v<R> == ReducerKind::average);
template <class T, class R, class Block>
inline constexpr bool may_use_sentinels = SentinelVocabulary<Block> && sends_sentinels<T, R>;

/// Returns how many words of a vector are seen whole: four, unless it says fewer. Each such part is a sentinel.
template <class Vector>
[[nodiscard]] consteval int whole_words() {
  if constexpr (requires { Vector::whole_words; }) return Vector::whole_words;
  return 4;
}

template <class Vector>
[[nodiscard]] KOINON_FORCE_INLINE bool is_all_ones(Vector const& v, int part) {
  std::uint32_t ones = ~0u;
  KOINON_UNROLL
  for (int w = 0; w < whole_words<Vector>(); ++w) ones &= v.words[part * whole_words<Vector>() + w];
  return ones == ~0u;
}
/// Says whether data has not come for all of a vector.
template <class Vector>
[[nodiscard]] KOINON_FORCE_INLINE bool is_awaited(Vector const& v) {
  bool awaited = false;
  KOINON_UNROLL
  for (int part = 0; part < 4 / whole_words<Vector>(); ++part) awaited |= is_all_ones(v, part);
  return awaited;
}

/// Makes elements what is sent for them: where a part is all ones, its first NaN gets the other sign.
template <class T, class Vector>
KOINON_FORCE_INLINE void make_sendable(Vector& v) {
  static_assert(sizeof(Vector) == 16);
  constexpr int sign = static_cast<int>(8 * floating_bytes<T>()) - 1;  // bit of the first number
  KOINON_UNROLL
  for (int part = 0; part < 4 / whole_words<Vector>(); ++part) {
    if (is_all_ones(v, part)) v.words[part * whole_words<Vector>() + sign / 32] &= ~(1u << sign % 32);
  }
}

/// Waits for the vectors at(s), s in [0, Most), for which wants(s) holds, all together, and makes them all ones again.
/// False: the wait was given up, for the sake of peer(s).
template <int Most, class Block, class Wants, class At, class Peer>
[[nodiscard]] KOINON_FORCE_INLINE bool receive_sentinels(Launch<Block> const& launch, Wants&& wants, At&& at,
                                                         Peer&& peer, typename Block::Vector (&vectors)[Most]) {
  typename Block::Patience patience;
  for (;;) {
    if constexpr (asks_for_all<Block>) {
      typename Block::Vector loaded[Most];
      KOINON_UNROLL
      for (int s = 0; s < Most; ++s) loaded[s] = Block::load_whole(at(wants(s) ? s : 0));
      KOINON_UNROLL
      for (int s = 0; s < Most; ++s) {
        if (wants(s)) vectors[s] = loaded[s];  // the others may hold what the caller has put there
      }
    } else {
      KOINON_UNROLL
      for (int s = 0; s < Most; ++s) {
        if (wants(s)) vectors[s] = Block::load_whole(at(s));
      }
    }
    int missing = -1;
    KOINON_UNROLL
    for (int s = Most - 1; s >= 0; --s) missing = wants(s) && is_awaited(vectors[s]) ? s : missing;
    if (missing < 0) break;
    if (!patience.more(launch.comm(), launch.number(), peer(missing))) return false;
  }
  typename Block::Vector const armed{{~0u, ~0u, ~0u, ~0u}};
  KOINON_UNROLL
  for (int s = 0; s < Most; ++s) {
    if (wants(s)) Block::store_whole(at(s), armed);
  }
  return true;
}

}  // namespace Koinon::Impl
