// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <elements/Koinon_NarrowFloat.hpp>
#include <elements/Koinon_NarrowFormat.hpp>

namespace Koinon {
namespace Impl {

/// 1 sign, 4 exponent and 3 mantissa bits; no infinity, and one NaN a sign (all other bits set).
struct Float8E4m3Layout {
  using storage_type = std::uint8_t;
  static constexpr int mantissa_bits = 3;
  static constexpr int bias = 7;
  static constexpr bool has_infinity = false;
  static constexpr bool saturates = true;
  static constexpr std::uint32_t sign = 0x80;
  static constexpr std::uint32_t largest = 0x7e;
  static constexpr std::uint32_t infinity = 0x7f;
  static constexpr std::uint32_t nan = 0x7f;
#if defined(KOINON_FLOAT_TO_FLOAT8_E4M3)
  static KOINON_FORCE_INLINE std::uint32_t encoded_at_once(float value) {
    std::uint32_t narrow = 0;
    KOINON_FLOAT_TO_FLOAT8_E4M3(narrow, value);
    return narrow;
  }
#endif
};

/// 1 sign, 5 exponent and 2 mantissa bits; infinity and NaNs as in float16.
struct Float8E5m2Layout {
  using storage_type = std::uint8_t;
  static constexpr int mantissa_bits = 2;
  static constexpr int bias = 15;
  static constexpr bool has_infinity = true;
  static constexpr bool saturates = true;
  static constexpr std::uint32_t sign = 0x80;
  static constexpr std::uint32_t largest = 0x7b;
  static constexpr std::uint32_t infinity = 0x7c;
  static constexpr std::uint32_t nan = 0x7f;
#if defined(KOINON_FLOAT_TO_FLOAT8_E5M2)
  static KOINON_FORCE_INLINE std::uint32_t encoded_at_once(float value) {
    std::uint32_t narrow = 0;
    KOINON_FLOAT_TO_FLOAT8_E5M2(narrow, value);
    return narrow;
  }
#endif
};

}  // namespace Impl

/// One byte, up to 448. Conversion saturates: what is beyond 448, infinity too, becomes 448 of the same sign.
using float8_e4m3 = NarrowFloat<Impl::NarrowFormat<Impl::Float8E4m3Layout>>;
/// One byte, up to 57344. Conversion saturates: what is beyond, infinity too, becomes 57344 of the same sign, so an
/// infinity is only ever made by `from_bits`; widened it is infinite.
using float8_e5m2 = NarrowFloat<Impl::NarrowFormat<Impl::Float8E5m2Layout>>;
static_assert(sizeof(float8_e4m3) == 1 && std::is_trivially_copyable_v<float8_e4m3>);
static_assert(sizeof(float8_e5m2) == 1 && std::is_trivially_copyable_v<float8_e5m2>);

}  // namespace Koinon
