// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

namespace Koinon {

/// Refers to an array of `Rank` dimensions in memory that somebody else owns. Device-copyable.
///
/// `extents` counts elements, `strides` is the distance in elements between neighbours along each dimension. Row-major
/// unless strides are given. A rank of 0 is one element.
template <class T, int Rank>
struct Array {
  static_assert(Rank >= 0 && Rank <= 8, "Koinon::Array has at most 8 dimensions");
  using value_type = T;
  static constexpr int rank = Rank;

  T* pointer = nullptr;
  std::size_t extents[Rank > 0 ? Rank : 1] = {};
  std::ptrdiff_t strides[Rank > 0 ? Rank : 1] = {};

  Array() = default;

  /// Refers to a dense row-major array.
  template <class... Extents>
    requires(sizeof...(Extents) == Rank && (std::convertible_to<Extents, std::size_t> && ...))
  KOINON_FUNCTION constexpr explicit Array(T* data, Extents... sizes) : pointer(data) {
    if constexpr (Rank > 0) {
      std::size_t const given[] = {static_cast<std::size_t>(sizes)...};
      std::ptrdiff_t stride = 1;
      for (int d = Rank - 1; d >= 0; --d) {
        extents[d] = given[d];
        strides[d] = stride;
        stride *= static_cast<std::ptrdiff_t>(given[d]);
      }
    }
  }

  /// Takes an array as inputs are passed: of const elements. (A conversion operator would be one from Array<T const> to
  /// itself too, of which nvcc warns in users' files.)
  template <class U>
    requires(!std::is_const_v<U> && std::is_same_v<U const, T>)
  KOINON_FUNCTION constexpr Array(Array<U, Rank> const& a) : pointer(a.pointer) {
    for (int d = 0; d < Rank; ++d) {
      extents[d] = a.extents[d];
      strides[d] = a.strides[d];
    }
  }

  [[nodiscard]] KOINON_FUNCTION constexpr std::size_t extent(int dimension) const { return extents[dimension]; }
  [[nodiscard]] KOINON_FUNCTION constexpr std::ptrdiff_t stride(int dimension) const { return strides[dimension]; }
  [[nodiscard]] KOINON_FUNCTION constexpr T* data() const { return pointer; }
  /// Returns the number of elements.
  [[nodiscard]] KOINON_FUNCTION constexpr std::size_t size() const {
    std::size_t n = 1;
    for (int d = 0; d < Rank; ++d) n *= extents[d];
    return n;
  }
  template <class... Indices>
    requires(sizeof...(Indices) == Rank)
  [[nodiscard]] KOINON_FUNCTION constexpr T& operator()(Indices... indices) const {
    if constexpr (Rank == 0) {
      return *pointer;
    } else {
      std::ptrdiff_t const at[] = {static_cast<std::ptrdiff_t>(indices)...};
      std::ptrdiff_t offset = 0;
      for (int d = 0; d < Rank; ++d) offset += at[d] * strides[d];
      return pointer[offset];
    }
  }
};

/// Stands for an array that is not given.
struct None {};

/// Turns a type of array into a Koinon::Array; specialised for each type that the operations accept.
template <class A>
struct ArrayTraits;

template <class T, int Rank>
struct ArrayTraits<Array<T, Rank>> {
  static constexpr Array<T, Rank> to_array(Array<T, Rank> const& a) { return a; }
};

template <class T, std::size_t Extent>
struct ArrayTraits<std::span<T, Extent>> {
  static constexpr Array<T, 1> to_array(std::span<T, Extent> s) { return Array<T, 1>(s.data(), s.size()); }
};

/// Holds for std::mdspan and Kokkos::mdspan alike, by what they offer; not for arrays that name a memory space.
template <class A>
concept MdspanLike = !requires { typename A::memory_space; } && requires(A const& a) {
  typename A::mapping_type;
  { A::rank() } -> std::convertible_to<std::size_t>;
  a.data_handle();
  a.extent(0);
};

template <MdspanLike A>
struct ArrayTraits<A> {
  static constexpr auto to_array(A const& a) {
    constexpr int rank = static_cast<int>(A::rank());
    Array<std::remove_pointer_t<typename A::data_handle_type>, rank> result;
    result.pointer = a.data_handle();
    for (int d = 0; d < rank; ++d) {
      result.extents[d] = static_cast<std::size_t>(a.extent(static_cast<std::size_t>(d)));
      result.strides[d] = static_cast<std::ptrdiff_t>(a.stride(static_cast<std::size_t>(d)));
    }
    return result;
  }
};

template <class A>
concept ArrayLike = requires(std::remove_cvref_t<A> const& a) { ArrayTraits<std::remove_cvref_t<A>>::to_array(a); };

/// Returns the array as a Koinon::Array.
template <ArrayLike A>
constexpr auto as_array(A const& a) {
  return ArrayTraits<A>::to_array(a);
}

namespace Impl {

/// Compares extents; dimensions that one of them lacks count as 1.
template <class A, int RankA, class B, int RankB>
[[nodiscard]] constexpr bool equal_extents(Array<A, RankA> const& a, Array<B, RankB> const& b, int from = 0) {
  for (int d = from; d < (RankA > RankB ? RankA : RankB); ++d) {
    if ((d < RankA ? a.extents[d] : 1) != (d < RankB ? b.extents[d] : 1)) return false;
  }
  return true;
}

}  // namespace Impl

}  // namespace Koinon
