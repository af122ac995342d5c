// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <arrays/Koinon_Operand.hpp>
#include <elements/Koinon_Elements.hpp>
#include <Koinon_Array.hpp>
#include <reducers/Koinon_ReducerTraits.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Brings the element types of a call to the few that kernels are instantiated for: equal bits, one kernel.
namespace Koinon::Impl {

/// Is an element that is only moved, of a size and an alignment that no integer has.
template <std::size_t Bytes, std::size_t Alignment>
struct Opaque {
  alignas(Alignment) std::byte bytes[Bytes];
};

// The alignment stays: accesses are as wide as it, and a wider one than a user's type has would fault on a device.
template <std::size_t Bytes, std::size_t Alignment>
consteval auto moved_element() {
  if constexpr (Bytes == 1) {
    return std::uint8_t{};
  } else if constexpr (Bytes == 2 && Alignment == 2) {
    return std::uint16_t{};
  } else if constexpr (Bytes == 4 && Alignment == 4) {
    return std::uint32_t{};
  } else if constexpr (Bytes == 8 && Alignment == 8) {
    return std::uint64_t{};
  } else {
    return Opaque<Bytes, Alignment>{};
  }
}

/// Stands for T in moves, which keep every bit and look at none.
template <class T>
using moved_element_t = decltype(moved_element<sizeof(T), alignof(T)>());

/// Stands for T in reductions by R: the canonical element, but T itself for a user's functor, which names it.
template <class T, class R>
using reduced_element_t =
    std::conditional_t<reducer_kind_v<R> == ReducerKind::user, std::remove_cv_t<T>, canonical_element_t<T>>;

/// Returns the array as an operand of elements C of the same size. Bodies read and write memory as bytes.
template <class C, class T, int Rank>
[[nodiscard]] Operand<C> operand_as(Array<T, Rank> const& a) {
  static_assert(sizeof(C) == sizeof(T));
  Array<C, Rank> b;
  b.pointer = reinterpret_cast<C*>(const_cast<std::remove_const_t<T>*>(a.pointer));
  for (int d = 0; d < Rank; ++d) {
    b.extents[d] = a.extents[d];
    b.strides[d] = a.strides[d];
  }
  return Operand<C>(b);
}

}  // namespace Koinon::Impl
