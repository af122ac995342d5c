// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>

namespace Koinon::Impl {

/// A complex number that kernels compute with: the members of std::complex in its order, callable on devices.
/// Users keep their own complex types; CanonicalElement maps these here.
template <class Real>
struct Complex {
  Real re;
  Real im;

  friend KOINON_FORCE_INLINE constexpr Complex operator+(Complex const& a, Complex const& b) {
    return {a.re + b.re, a.im + b.im};
  }
  /// The plain four products: infinities are not recovered from NaN.
  friend KOINON_FORCE_INLINE constexpr Complex operator*(Complex const& a, Complex const& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend KOINON_FORCE_INLINE constexpr Complex operator/(Complex const& a, Real b) { return {a.re / b, a.im / b}; }
  friend KOINON_FORCE_INLINE constexpr bool operator==(Complex const& a, Complex const& b) {
    return a.re == b.re && a.im == b.im;
  }
};

}  // namespace Koinon::Impl
