// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <arrays/Koinon_Pack.hpp>
#include <Koinon_Array.hpp>
#include <Koinon_Macros.hpp>

#include <cstddef>
#include <type_traits>

namespace Koinon::Impl {

/// Is an array of any rank as the bodies see it: elements numbered in row-major order of the indices.
///
/// Neighbouring dimensions that are dense in memory are merged at construction, so a dense array has one dimension of
/// stride 1 and is read and written by packs; any other goes element by element, with the coordinates carried along.
template <class T>
struct Operand {
  using value_type = std::remove_const_t<T>;

  T* pointer = nullptr;
  std::size_t count = 0;
  int rank = 0;
  bool dense = true;
  // The first `rank` of each count; the rest is never read, nor cleared at every call.
  std::size_t extents[8];
  std::ptrdiff_t strides[8];

  KOINON_FUNCTION Operand() {}  // NOLINT(modernize-use-equals-default): `= default` would clear both in `Operand{}`

  template <class U, int Rank>
    requires std::is_convertible_v<U*, T*>
  explicit Operand(Array<U, Rank> const& a) : pointer(a.pointer), count(1) {
    for (int d = 0; d < Rank; ++d) {
      count *= a.extents[d];
      if (a.extents[d] == 1) continue;
      if (rank > 0 && strides[rank - 1] == static_cast<std::ptrdiff_t>(a.extents[d]) * a.strides[d]) {
        extents[rank - 1] *= a.extents[d];
        strides[rank - 1] = a.strides[d];
      } else {
        extents[rank] = a.extents[d];
        strides[rank] = a.strides[d];
        ++rank;
      }
    }
    dense = rank == 0 || (rank == 1 && strides[0] == 1);
  }

  /// Returns the address of element i in row-major order. @pre i < count
  [[nodiscard]] KOINON_FUNCTION T* address(std::size_t i) const {
    if (dense) return pointer + i;
    std::ptrdiff_t offset = 0;
    for (int d = rank - 1; d > 0; --d) {
      offset += static_cast<std::ptrdiff_t>(i % extents[d]) * strides[d];
      i /= extents[d];
    }
    return pointer + offset + static_cast<std::ptrdiff_t>(i) * strides[0];
  }

  template <int N, class Block>
  [[nodiscard]] KOINON_FORCE_INLINE Pack<value_type, N> load(Block const&, std::size_t i) const {
    if (dense) return Block::template load_pack<value_type, N>(pointer + i);
    Pack<value_type, N> pack;
    load_strided(pack.values, i, N);
    return pack;
  }

  template <int N, class Block>
  KOINON_FORCE_INLINE void store(Block const&, std::size_t i, Pack<value_type, N> const& pack) const {
    if (dense) return Block::template store_pack<value_type, N>(pointer + i, pack);
    Pack<value_type, N> const kept = pack;  // its address is taken: else the dense path's would be in memory too
    store_strided(i, kept.values, N);
  }

  /// Returns n elements from i on: where they are if they are dense, else copied to `room`.
  [[nodiscard]] KOINON_FORCE_INLINE value_type const* read(value_type* room, std::size_t i, int n) const {
    if (dense) return pointer + i;
    load_some(room, i, n);
    return room;
  }

  /// Copies n elements from i on to dense memory.
  KOINON_INLINE_FUNCTION void load_some(value_type* to, std::size_t i, int n) const {
    if (dense) {
      __builtin_memcpy(static_cast<void*>(to), pointer + i, static_cast<std::size_t>(n) * sizeof(T));
    } else {
      load_strided(to, i, n);
    }
  }

  /// Copies n elements from dense memory to i on.
  KOINON_INLINE_FUNCTION void store_some(std::size_t i, value_type const* from, int n) const {
    if (dense) {
      if (n == 1) return copy_element<value_type>(pointer + i, from);
      __builtin_memcpy(static_cast<void*>(pointer + i), from, static_cast<std::size_t>(n) * sizeof(T));
    } else {
      store_strided(i, from, n);
    }
  }

 private:
  // Calls on a device: a copy of the walk in every loop of a kernel costs the dense loops their registers.
  KOINON_CALLED_FUNCTION void load_strided(value_type* to, std::size_t i, int n) const {
    Walk walk(*this, i);
    for (int e = 0; e < n; ++e, walk.step(*this)) copy_element<value_type>(to + e, pointer + walk.offset);
  }
  KOINON_CALLED_FUNCTION void store_strided(std::size_t i, value_type const* from, int n) const {
    Walk walk(*this, i);
    for (int e = 0; e < n; ++e, walk.step(*this)) copy_element<value_type>(pointer + walk.offset, from + e);
  }

  /// Steps through the elements of a strided array without a division an element.
  struct Walk {
    std::size_t at[8] = {};
    std::ptrdiff_t offset = 0;
    KOINON_FUNCTION Walk(Operand const& a, std::size_t i) {
      for (int d = a.rank - 1; d > 0; --d) {
        at[d] = i % a.extents[d];
        i /= a.extents[d];
        offset += static_cast<std::ptrdiff_t>(at[d]) * a.strides[d];
      }
      at[0] = i;
      offset += static_cast<std::ptrdiff_t>(i) * a.strides[0];
    }
    KOINON_FUNCTION void step(Operand const& a) {
      for (int d = a.rank - 1; d >= 0; --d) {
        offset += a.strides[d];
        if (++at[d] < a.extents[d] || d == 0) return;
        offset -= static_cast<std::ptrdiff_t>(at[d]) * a.strides[d];
        at[d] = 0;
      }
    }
  };
};

/// Says whether element i of both lies at one address, for every i.
template <class A, class B>
[[nodiscard]] inline bool same_elements(Operand<A> const& a, Operand<B> const& b) {
  if (a.pointer != b.pointer || a.rank != b.rank) return false;
  for (int d = 0; d < a.rank; ++d) {
    if (a.extents[d] != b.extents[d] || a.strides[d] != b.strides[d]) return false;
  }
  return true;
}

/// Returns the operand as an input.
template <class T>
[[nodiscard]] inline Operand<T const> constant(Operand<T> const& a) {
  Operand<T const> result;
  result.pointer = a.pointer;
  result.count = a.count;
  result.rank = a.rank;
  result.dense = a.dense;
  for (int d = 0; d < a.rank; ++d) {
    result.extents[d] = a.extents[d];
    result.strides[d] = a.strides[d];
  }
  return result;
}

}  // namespace Koinon::Impl
