// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <support/Koinon_Oracle.hpp>
#include <support/Koinon_Random.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

/// Inputs of a reduction from random bits: values for which the oracle's claim is sharp.
namespace Koinon::Testing {

/// A real of [0.5, 1) * 2^e with either sign, e of -2 .. 2; one in sixteen is a zero of either sign.
template <class Real>
Real sample_real(std::uint64_t random, bool zeros) {
  Real const sign = (random & 1u) != 0 ? Real(-1) : Real(1);
  if (zeros && (random >> 1 & 15u) == 0) return sign * Real(0);
  Real const mantissa = Real(0.5) + static_cast<Real>(random >> 12) / static_cast<Real>(std::uint64_t{1} << 53);
  return sign * std::ldexp(mantissa, static_cast<int>(random >> 5 & 7u) % 5 - 2);
}

template <class T, class R>
T sample(std::uint64_t random) {
  constexpr bool product = std::is_same_v<R, Koinon::Prod>;
  T value{};
  if constexpr (std::is_same_v<T, bool>) {
    value = (random & 3u) != 0;
  } else if constexpr (std::is_integral_v<T>) {
    value = static_cast<T>(random);
    // Zeros and ones often enough that logical and bitwise results differ from one bit pattern.
    if ((random >> 60) < 3) value = static_cast<T>(random >> 60);
  } else if constexpr (std::is_floating_point_v<T> && one_of<R, Koinon::Min, Koinon::Max>) {
    value = (random >> 60) == 0 ? std::numeric_limits<T>::quiet_NaN() : sample_real<T>(random, true);
    if ((random >> 60) == 1) value = std::copysign(std::numeric_limits<T>::infinity(), value);
  } else if constexpr (std::is_floating_point_v<T>) {
    value = sample_real<T>(random, !product);
  } else if constexpr (is_narrow<T>) {
    // Every pattern: NaN with payloads, infinities, subnormals; three in four are moderate, so that sums stay finite.
    using Bits = typename T::storage_type;
    value = (random & 3u) == 0 ? T::from_bits(static_cast<Bits>(random >> 8))
                               : T(sample_real<float>(random >> 2, !product));
  } else if constexpr (is_complex<T>) {
    using Real = decltype(value.re);
    value = {sample_real<Real>(random, true), sample_real<Real>(mixed(random), false)};
  } else if constexpr (one_of<R, Koinon::MinLoc, Koinon::MaxLoc>) {
    // Few values, so that ties are frequent, and locations in no order.
    value.val = static_cast<decltype(value.val)>(static_cast<int>(random % 7) - 3);
    value.loc = static_cast<decltype(value.loc)>(random >> 33);
  } else {
    unsigned char bytes[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bytes[i] = static_cast<unsigned char>(mixed(random + i / 8) >> (i % 8 * 8));
    std::memcpy(static_cast<void*>(&value), bytes, sizeof(T));
  }
  return value;
}

}  // namespace Koinon::Testing
