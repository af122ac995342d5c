// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <elements/Koinon_Elements.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

/// What the narrow formats are, said in double and without a bit trick: the oracle of their conversions.
namespace Oracle {

template <class T>
struct Shape;
template <>
struct Shape<Koinon::float16> {
  static constexpr int exponent_bits = 5, mantissa_bits = 10;
  static constexpr bool infinities = true, saturates = false;
};
template <>
struct Shape<Koinon::bfloat16> {
  static constexpr int exponent_bits = 8, mantissa_bits = 7;
  static constexpr bool infinities = true, saturates = false;
};
template <>
struct Shape<Koinon::float8_e4m3> {
  static constexpr int exponent_bits = 4, mantissa_bits = 3;
  static constexpr bool infinities = false, saturates = true;
};
template <>
struct Shape<Koinon::float8_e5m2> {
  static constexpr int exponent_bits = 5, mantissa_bits = 2;
  static constexpr bool infinities = true, saturates = true;
};

template <class T>
constexpr unsigned patterns = 1u << (8 * sizeof(T));

/// The value of a bit pattern; NaN for every NaN.
template <class T>
double value_of(unsigned bits) {
  using S = Shape<T>;
  int const exponent = static_cast<int>(bits >> S::mantissa_bits) & ((1 << S::exponent_bits) - 1);
  int const mantissa = static_cast<int>(bits) & ((1 << S::mantissa_bits) - 1);
  int const bias = (1 << (S::exponent_bits - 1)) - 1;
  bool const negative = (bits & (patterns<T> / 2)) != 0;
  bool const top = exponent == (1 << S::exponent_bits) - 1;
  double magnitude = 0;
  if (top && S::infinities) {
    magnitude = mantissa == 0 ? INFINITY : NAN;
  } else if (top && mantissa == (1 << S::mantissa_bits) - 1) {
    magnitude = NAN;
  } else if (exponent == 0) {
    magnitude = std::ldexp(mantissa, 1 - bias - S::mantissa_bits);
  } else {
    magnitude = std::ldexp(mantissa + (1 << S::mantissa_bits), exponent - bias - S::mantissa_bits);
  }
  return negative ? -magnitude : magnitude;
}

/// The finite values from 0 up; the index is the bit pattern.
template <class T>
std::vector<double> const& finite_values() {
  static std::vector<double> const values = [] {
    std::vector<double> found;
    for (unsigned bits = 0; bits < patterns<T> / 2 && std::isfinite(value_of<T>(bits)); ++bits) {
      found.push_back(value_of<T>(bits));
    }
    return found;
  }();
  return values;
}

/// The bits of the number nearest to @p x, ties to the even pattern.
template <class T>
unsigned nearest(double x) {
  if (std::isnan(x)) return patterns<T> / 2 - 1;
  unsigned const sign = std::signbit(x) ? patterns<T> / 2 : 0;
  double const magnitude = std::fabs(x);
  auto const& values = finite_values<T>();
  auto const last = static_cast<unsigned>(values.size() - 1);
  auto const above = static_cast<unsigned>(std::lower_bound(values.begin(), values.end(), magnitude) - values.begin());
  if (above > last) {
    // The next value that there would be, had the format one more exponent: from half-way on it is out of range.
    double const half_way = values[last] + (values[last] - values[last - 1]) / 2;
    return sign | (Shape<T>::saturates || magnitude < half_way ? last : last + 1);
  }
  if (values[above] == magnitude) return sign | above;
  double const to_above = values[above] - magnitude;
  double const to_below = magnitude - values[above - 1];
  if (to_above != to_below) return sign | (to_above < to_below ? above : above - 1);
  return sign | (above % 2 == 0 ? above : above - 1);
}

}  // namespace Oracle
