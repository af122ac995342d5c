// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>

#include <cstddef>
#include <cstdint>

namespace Koinon::Impl {

/// Holds N neighbouring elements in registers: what one thread moves at a time. N is a constant, so loops over it vectorize.
template <class T, int N>
struct Pack {
  T values[N];
};

// Single elements. The user's type may be another of the same bits: memory is read and written as bytes, or as words that
// may be anything's, never through the wrong type.
#if defined(KOINON_MAY_ALIAS)
/// Is a word of that many bytes: of a byte-wise copy g++ makes no vectors.
template <std::size_t Bytes>
struct AnyWord;
template <>
struct AnyWord<1> {
  typedef std::uint8_t KOINON_MAY_ALIAS type;
};
template <>
struct AnyWord<2> {
  typedef std::uint16_t KOINON_MAY_ALIAS type;
};
template <>
struct AnyWord<4> {
  typedef std::uint32_t KOINON_MAY_ALIAS type;
};
template <>
struct AnyWord<8> {
  typedef std::uint64_t KOINON_MAY_ALIAS type;
};
#endif
/// Moves one element with all its bits, padding too. Its alignment is said: device compilers take a byte at a time else.
template <class T>
KOINON_FORCE_INLINE void copy_element(T* to, T const* from) {
#if defined(KOINON_MAY_ALIAS)
  if constexpr (sizeof(T) == alignof(T) && sizeof(T) <= 8) {
    using Word = typename AnyWord<sizeof(T)>::type;
    *reinterpret_cast<Word*>(to) = *reinterpret_cast<Word const*>(from);
    return;
  }
#endif
  void* const aligned_to = __builtin_assume_aligned(static_cast<void*>(to), alignof(T));
  void const* const aligned_from = __builtin_assume_aligned(static_cast<void const*>(from), alignof(T));
  __builtin_memcpy(aligned_to, aligned_from, sizeof(T));
}
/// Returns (stores) an element as a value to compute with.
template <class T>
[[nodiscard]] KOINON_FORCE_INLINE T element_at(T const* p) {
  T value;
  copy_element(&value, p);
  return value;
}
template <class T>
KOINON_FORCE_INLINE void put_element(T* p, T const& value) {
  copy_element(p, &value);
}

/// Is passed to the body of a loop over packs: the number of elements as a type.
template <int N>
struct PackSize {
  KOINON_FORCE_INLINE constexpr int operator()() const { return N; }
};

/// Returns how many elements a thread moves and reduces at a time.
template <class T, class Block>
inline constexpr std::size_t pack_elements = Block::template pack_elements<T>;

/// Calls f(PackSize<N>, i) over [begin, end): whole packs first, spread over the block's threads, then single elements.
/// Every index belongs to the same thread in every loop over the same range (in place relies on it).
template <class T, class Block, class F>
KOINON_FORCE_INLINE void for_each_pack(Block const& block, std::size_t begin, std::size_t end, F&& f) {
  constexpr std::size_t n = pack_elements<T, Block>;
  std::size_t const threads = static_cast<std::size_t>(block.threads());
  std::size_t const whole = begin + (end - begin) / n * n;
  for (std::size_t i = begin + static_cast<std::size_t>(block.thread()) * n; i < whole; i += threads * n) {
    f(PackSize<static_cast<int>(n)>{}, i);
  }
  for (std::size_t i = whole + static_cast<std::size_t>(block.thread()); i < end; i += threads) f(PackSize<1>{}, i);
}

}  // namespace Koinon::Impl
