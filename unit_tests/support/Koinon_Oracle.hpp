// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CoreWithoutMpi.hpp>
#include <support/Koinon_UserTypes.hpp>

#include <cmath>
#include <core/elements_oracle.hpp>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

/// What a reduction is, computed on the host from every rank's value without Koinon's reducers: exact for integers and
/// narrow floats (float in rank order, rounded once), within a stated bound for float, double and complex.
namespace Koinon::Testing {

template <class T>
inline constexpr bool is_narrow = Koinon::Impl::is_narrow_float<T>;
template <class T>
inline constexpr bool is_complex = Koinon::Impl::is_complex<T>;

template <class R, class... List>
inline constexpr bool one_of = (std::is_same_v<R, List> || ...);

/// Says whether multicast rounds the sum before the division, which the caller knows from transport and pair.
struct Rounding {
  bool before_division = false;
};

template <class T>
bool same_bits(T const& a, T const& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T, class R>
requires std::is_integral_v<T>
bool is_reduction(T got, T const* values, int ranks, Rounding) {
  using Modulo = std::uint64_t;  // sums and products wrap modulo 2^64, so also modulo the type's size
  T expected = values[0];
  auto const fold = [&](auto&& join) {
    for (int p = 1; p < ranks; ++p) expected = static_cast<T>(join(expected, values[p]));
  };
  if constexpr (one_of<R, Koinon::Sum, Koinon::Average>) {
    fold([](T a, T b) { return static_cast<Modulo>(a) + static_cast<Modulo>(b); });
    if constexpr (std::is_same_v<R, Koinon::Average>) {
      using Quotient = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
      expected = static_cast<T>(static_cast<Quotient>(expected) / static_cast<Quotient>(ranks));
    }
  } else if constexpr (std::is_same_v<R, Koinon::Prod>) {
    fold([](T a, T b) { return static_cast<Modulo>(a) * static_cast<Modulo>(b); });
  } else if constexpr (std::is_same_v<R, Koinon::Min>) {
    fold([](T a, T b) { return a < b ? a : b; });
  } else if constexpr (std::is_same_v<R, Koinon::Max>) {
    fold([](T a, T b) { return a < b ? b : a; });
  } else if constexpr (std::is_same_v<R, Koinon::BAnd>) {
    fold([](T a, T b) { return a & b; });
  } else if constexpr (std::is_same_v<R, Koinon::BOr>) {
    fold([](T a, T b) { return a | b; });
  } else if constexpr (std::is_same_v<R, Koinon::BXor>) {
    fold([](T a, T b) { return a ^ b; });
  } else {
    static_assert(one_of<R, Koinon::LAnd, Koinon::LOr>);
    bool all = true;
    bool any = false;
    for (int p = 0; p < ranks; ++p) {
      all = all && values[p] != T{};
      any = any || values[p] != T{};
    }
    expected = static_cast<T>(std::is_same_v<R, Koinon::LAnd> ? all : any);
  }
  return got == expected;
}

/// The smallest or largest of doubles: NaN only if all are, -0 below +0.
template <class R>
double extremum(double const* values, int ranks) {
  double best = values[0];
  for (int p = 1; p < ranks; ++p) {
    double const v = values[p];
    bool const below = v < best || (v == best && std::signbit(v) && !std::signbit(best));
    bool const above = v > best || (v == best && !std::signbit(v) && std::signbit(best));
    if (std::isnan(best) || (std::is_same_v<R, Koinon::Min> ? below : above)) best = v;
  }
  return best;
}

template <class T, class R>
requires std::is_floating_point_v<T>
bool is_reduction(T got, T const* values, int ranks, Rounding) {
  if constexpr (one_of<R, Koinon::Min, Koinon::Max>) {
    double wide[64];
    for (int p = 0; p < ranks; ++p) wide[p] = static_cast<double>(values[p]);
    T const best = static_cast<T>(extremum<R>(wide, ranks));
    return std::isnan(best) ? std::isnan(got) : same_bits(got, best);
  } else {
    constexpr bool product = std::is_same_v<R, Koinon::Prod>;
    long double expected = product ? 1 : 0;
    long double magnitude = product ? 1 : 0;
    for (int p = 0; p < ranks; ++p) {
      long double const v = values[p];
      expected = product ? expected * v : expected + v;
      magnitude = product ? magnitude * std::fabs(v) : magnitude + std::fabs(v);
    }
    if (std::is_same_v<R, Koinon::Average>) {
      expected /= ranks;
      magnitude /= ranks;
    }
    if (std::isnan(expected)) return std::isnan(got);
    if (std::isinf(expected)) return static_cast<long double>(got) == expected;
    // Each of the ranks' steps rounds once, by half a unit of a partial result that is at most `magnitude`.
    long double const bound = static_cast<long double>(std::numeric_limits<T>::epsilon()) * magnitude * ranks;
    return std::fabs(static_cast<long double>(got) - expected) <= bound;
  }
}

template <class T>
float narrow_value(T const& v) {
  static std::vector<float> const table = [] {
    std::vector<float> values;
    for (unsigned bits = 0; bits < Oracle::patterns<T>; ++bits)
      values.push_back(static_cast<float>(Oracle::value_of<T>(bits)));
    return values;
  }();
  return table[v.bits()];
}

template <class T, class R>
requires is_narrow<T>
bool is_reduction(T got, T const* values, int ranks, Rounding rounding) {
  float expected = narrow_value(values[0]);
  if constexpr (one_of<R, Koinon::Min, Koinon::Max>) {
    double wide[64];
    for (int p = 0; p < ranks; ++p) wide[p] = narrow_value(values[p]);
    expected = static_cast<float>(extremum<R>(wide, ranks));
  } else {
    for (int p = 1; p < ranks; ++p) {
      float const v = narrow_value(values[p]);
      expected = std::is_same_v<R, Koinon::Prod> ? expected * v : expected + v;
    }
    if (std::is_same_v<R, Koinon::Average>) {
      if (rounding.before_division) expected = static_cast<float>(Oracle::value_of<T>(Oracle::nearest<T>(expected)));
      expected /= static_cast<float>(ranks);
    }
  }
  if (std::isnan(expected)) return std::isnan(narrow_value(got));
  return got.bits() == Oracle::nearest<T>(expected);
}

template <class T, class R>
requires is_complex<T>
bool is_reduction(T const& got, T const* values, int ranks, Rounding) {
  using Real = decltype(got.re);
  constexpr bool product = std::is_same_v<R, Koinon::Prod>;
  long double re = values[0].re;
  long double im = values[0].im;
  long double magnitude = std::hypot(re, im);
  for (int p = 1; p < ranks; ++p) {
    long double const x = values[p].re;
    long double const y = values[p].im;
    long double const old = re;
    re = product ? old * x - im * y : old + x;
    im = product ? old * y + im * x : im + y;
    magnitude = product ? magnitude * std::hypot(x, y) : magnitude + std::hypot(x, y);
  }
  long double const divisor = std::is_same_v<R, Koinon::Average> ? ranks : 1;
  // A complex product rounds three times a component.
  long double const bound = 4 * static_cast<long double>(std::numeric_limits<std::remove_cvref_t<Real>>::epsilon()) *
                            magnitude * ranks / divisor;
  return std::fabs(got.re - re / divisor) <= bound && std::fabs(got.im - im / divisor) <= bound;
}

template <class T, class R>
requires one_of<R, Koinon::MinLoc, Koinon::MaxLoc>
bool is_reduction(T const& got, T const* values, int ranks, Rounding) {
  T best = values[0];
  for (int p = 1; p < ranks; ++p) {
    T const& v = values[p];
    bool const better = std::is_same_v<R, Koinon::MinLoc> ? v.val < best.val : v.val > best.val;
    if (better || (v.val == best.val && v.loc < best.loc)) best = v;
  }
  return got.val == best.val && got.loc == best.loc;
}

template <class T, class R>
requires is_user_reducer<R>
bool is_reduction(T const& got, T const* values, int ranks, Rounding) {
  return same_bits(got, R::expected(values, ranks));
}

}  // namespace Koinon::Testing
