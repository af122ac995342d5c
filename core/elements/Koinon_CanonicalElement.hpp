// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <elements/Koinon_Bfloat16.hpp>
#include <elements/Koinon_Complex.hpp>
#include <elements/Koinon_Float16.hpp>
#include <elements/Koinon_Float8.hpp>

#include <complex>

namespace Koinon {

/// Names the Koinon element that has the bits and the meaning of T: the one place that maps types. The default is T
/// itself. A layer that brings number types of its own adds one specialisation, constrained, inside namespace Koinon,
/// for all names that may stand for the same type (two half types that are both plain float in some builds):
/// @code
///   template <class T>
///     requires(sizeof(T) == 2 && (std::same_as<T, Half> || std::same_as<T, BrainHalf>))
///   struct CanonicalElement<T> { using type = std::conditional_t<std::same_as<T, Half>, float16, bfloat16>; };
/// @endcode
/// @pre type has the size of T, and both are trivially copyable
template <class T>
struct CanonicalElement {
  using type = T;
};

namespace Impl {

template <class Integer>
struct FixedWidthInteger {
  static consteval auto choose() {
    constexpr bool is_signed = std::is_signed_v<Integer>;
    if constexpr (sizeof(Integer) == 1) {
      return std::conditional_t<is_signed, std::int8_t, std::uint8_t>{};
    } else if constexpr (sizeof(Integer) == 2) {
      return std::conditional_t<is_signed, std::int16_t, std::uint16_t>{};
    } else if constexpr (sizeof(Integer) == 4) {
      return std::conditional_t<is_signed, std::int32_t, std::uint32_t>{};
    } else {
      return std::conditional_t<is_signed, std::int64_t, std::uint64_t>{};
    }
  }
  using type = decltype(choose());
};

}  // namespace Impl

/// `long`, `long long`, `char` and their like are the integer of their width and sign.
template <Impl::ConvertibleInteger T>
requires(!std::same_as<T, bool>) struct CanonicalElement<T> {
  using type = typename Impl::FixedWidthInteger<T>::type;
};

template <class Real>
requires(std::same_as<Real, float> || std::same_as<Real, double>) struct CanonicalElement<std::complex<Real>> {
  using type = Impl::Complex<Real>;
};

/// The type that kernels of built-in reducers are instantiated for: an array of T may be read as an array of it.
template <class T>
using canonical_element_t = typename CanonicalElement<std::remove_cv_t<T>>::type;

}  // namespace Koinon
