// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <arrays/Koinon_Pack.hpp>
#include <elements/Koinon_Elements.hpp>
#include <epilogues/Koinon_RowTree.hpp>
#include <Koinon_Array.hpp>
#include <Koinon_Macros.hpp>

#include <cstddef>
#include <type_traits>

/// One row of any array as kernels take it: a matrix's row, or a vector that is the same for every row.
namespace Koinon::Impl {

/// Is a matrix of rows that are dense; of a vector for all rows the pitch is 0.
template <class T>
struct RowArray {
  T* pointer = nullptr;
  std::ptrdiff_t pitch = 0;
};

template <class T>
struct RowSpan {
  using element = T;
  T* pointer;
  std::ptrdiff_t stride;

  /// Stores value(e) in column + e, rounded once, for e below n; n is what the type of `whole` says
  /// (columns_at_once).
  template <class Block, class Whole, class F>
  KOINON_FORCE_INLINE void store(Whole whole, std::size_t column, int n, F&& value) const;
};

/// Returns row `row` of an array. The front end's conversion to Koinon::Array is the host's: this asks the array itself.
template <class T>
[[nodiscard]] KOINON_FORCE_INLINE RowSpan<T> row_span(RowArray<T> const& a, std::size_t row) {
  return {a.pointer + static_cast<std::ptrdiff_t>(row) * a.pitch, 1};
}
template <class A>
[[nodiscard]] KOINON_FORCE_INLINE auto row_span(A const& a, [[maybe_unused]] std::size_t row) {
  constexpr std::size_t zero = 0;
  if constexpr (MdspanLike<A>) {
    using T = std::remove_pointer_t<typename A::data_handle_type>;
    if constexpr (A::rank() == 2) {
      return RowSpan<T>{a.data_handle() + a.mapping()(row, zero), static_cast<std::ptrdiff_t>(a.stride(1))};
    } else {
      static_assert(A::rank() == 1, "Koinon::Row: an array in an epilogue is a matrix, or a vector of one row");
      return RowSpan<T>{a.data_handle(), static_cast<std::ptrdiff_t>(a.stride(0))};
    }
  } else if constexpr (requires { a(row, zero); a.stride(1); }) {
    using T = std::remove_reference_t<decltype(a(row, zero))>;
    return RowSpan<T>{&a(row, zero), static_cast<std::ptrdiff_t>(a.stride(1))};
  } else if constexpr (requires { a(row); a.stride(0); }) {
    using T = std::remove_reference_t<decltype(a(row))>;
    return RowSpan<T>{&a(zero), static_cast<std::ptrdiff_t>(a.stride(0))};
  } else {
    static_assert(requires { a.data(); a.size(); },
                  "Koinon::Row: an array in an epilogue is a matrix, or a vector of one row");
    return RowSpan<std::remove_pointer_t<decltype(a.data())>>{a.data(), 1};
  }
}

/// Is what an epilogue converts to and from float: numbers, of any width.
template <class T>
inline constexpr bool is_row_element_v =
    element_kind_v<T> == ElementKind::real || element_kind_v<T> == ElementKind::integer;

template <class T>
[[nodiscard]] KOINON_FORCE_INLINE float to_float(T const& value) {
  return static_cast<float>(widen(value));
}
template <class T>
[[nodiscard]] KOINON_FORCE_INLINE T from_float(float value) {
  return round_to<T>(static_cast<accumulator_t<T>>(value));
}

/// Is how many elements of T of a thread's group one access moves.
template <class T, int Group>
inline constexpr int row_pack = sizeof(T) * static_cast<std::size_t>(Group) <= 16 ? Group
                                : sizeof(T) < 16                                 ? static_cast<int>(16 / sizeof(T))
                                                                                 : 1;

/// Says how many columns of a row are taken at once where they are whole: `Whole` is an integral_constant of that number,
/// or of 0 for a group that is not.
template <class Whole>
inline constexpr int columns_at_once = Whole::value > 0 ? static_cast<int>(Whole::value) : row_group;

/// Loads (stores) a whole group of neighbouring elements as floats. Where a block keeps its rows in memory these are loops
/// over the elements of arrays: compilers make vectors of them.
template <class Block, int Group, class T>
KOINON_FORCE_INLINE void load_group(T const* from, float (&to)[Group]) {
  if constexpr (Block::row_registers == 0) {
    for (int e = 0; e < Group; ++e) to[e] = to_float(element_at(from + e));
    return;
  }
  constexpr int n = row_pack<T, Group>;
  KOINON_UNROLL
  for (int at = 0; at < Group; at += n) {
    Pack<T, n> const pack = Block::template load_pack<T, n>(from + at);
    KOINON_UNROLL
    for (int e = 0; e < n; ++e) to[at + e] = to_float(pack.values[e]);
  }
}
template <class Block, int Group, class T>
KOINON_FORCE_INLINE void store_group(T* to, float const (&from)[Group]) {
  if constexpr (Block::row_registers == 0) {
    for (int e = 0; e < Group; ++e) put_element(to + e, from_float<T>(from[e]));
    return;
  }
  constexpr int n = row_pack<T, Group>;
  KOINON_UNROLL
  for (int at = 0; at < Group; at += n) {
    Pack<T, n> pack;
    KOINON_UNROLL
    for (int e = 0; e < n; ++e) pack.values[e] = from_float<T>(from[at + e]);
    Block::template store_pack<T, n>(to + at, pack);
  }
}

template <class T>
template <class Block, class Whole, class F>
KOINON_FORCE_INLINE void RowSpan<T>::store(Whole, std::size_t column, [[maybe_unused]] int n, F&& value) const {
  constexpr int size = columns_at_once<Whole>;
  if constexpr (Whole::value > 0) {
    if (stride == 1) {
      float results[size];
      KOINON_INDEPENDENT_ELEMENTS
      KOINON_UNROLL
      for (int e = 0; e < size; ++e) results[e] = value(e);
      store_group<Block, size, T>(pointer + column, results);
      return;
    }
  }
  T* const at = pointer + static_cast<std::ptrdiff_t>(column) * stride;
  KOINON_UNROLL
  for (int e = 0; e < size; ++e) {
    if (e >= n) continue;
    float const result = value(e);
    put_element(at + e * stride, from_float<T>(result));
  }
}

}  // namespace Koinon::Impl
