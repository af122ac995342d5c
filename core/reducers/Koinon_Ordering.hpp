// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <elements/Koinon_Elements.hpp>

#include <concepts>

namespace Koinon::Impl {

template <class A>
concept WideReal = std::same_as<A, float> || std::same_as<A, double>;

template <WideReal A>
using bits_of_t = std::conditional_t<sizeof(A) == 4, std::uint32_t, std::uint64_t>;

/// The smaller number; a NaN only if both are, and -0 below +0.
/// Selects and bit operations on both values, so that loops vectorize (cmpps, and, or) without a branch.
template <class A>
KOINON_FORCE_INLINE constexpr A smaller_of(A a, A b) {
  if constexpr (WideReal<A>) {
    // Equal numbers differ in the sign of zero at most: either sign bit makes it -0.
    A const equal = bit_cast<A>(bit_cast<bits_of_t<A>>(a) | bit_cast<bits_of_t<A>>(b));
    A const ordered = b < a ? b : a;  // a, if b is a NaN
    A const number = a != a ? b : ordered;
    return a == b ? equal : number;
  } else {
    return b < a ? b : a;
  }
}

/// The larger number; a NaN only if both are, and +0 above -0.
template <class A>
KOINON_FORCE_INLINE constexpr A larger_of(A a, A b) {
  if constexpr (WideReal<A>) {
    A const equal = bit_cast<A>(bit_cast<bits_of_t<A>>(a) & bit_cast<bits_of_t<A>>(b));
    A const ordered = a < b ? b : a;
    A const number = a != a ? b : ordered;
    return a == b ? equal : number;
  } else {
    return a < b ? b : a;
  }
}

/// Whether the sign bit tells a zero below another; only asked of equal numbers.
template <class A>
KOINON_FORCE_INLINE constexpr bool is_negative_zero(A a) {
  if constexpr (WideReal<A>) {
    return a == A(0) && (bit_cast<bits_of_t<A>>(a) >> (8 * sizeof(A) - 1)) != 0;
  } else {
    return false;
  }
}

template <class A>
KOINON_FORCE_INLINE constexpr bool is_nan(A a) {
  return a != a;
}

/// Three-way order of what smaller_of compares: negative if a is below b. -0 is below +0.
/// @pre neither is a NaN
template <class A>
KOINON_FORCE_INLINE constexpr int compare(A a, A b) {
  int const signs_of_zero = static_cast<int>(is_negative_zero(b)) - static_cast<int>(is_negative_zero(a));
  return a < b ? -1 : (b < a ? 1 : signs_of_zero);
}

}  // namespace Koinon::Impl
