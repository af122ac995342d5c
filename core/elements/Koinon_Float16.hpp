// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <elements/Koinon_NarrowFloat.hpp>
#include <elements/Koinon_NarrowFormat.hpp>

namespace Koinon {
namespace Impl {

/// IEEE 754 binary16: 1 sign, 5 exponent and 10 mantissa bits.
struct Float16Layout {
  using storage_type = std::uint16_t;
  static constexpr int mantissa_bits = 10;
  static constexpr int bias = 15;
  static constexpr bool has_infinity = true;
  static constexpr bool saturates = false;
  static constexpr std::uint32_t sign = 0x8000;
  static constexpr std::uint32_t largest = 0x7bff;
  static constexpr std::uint32_t infinity = 0x7c00;
  static constexpr std::uint32_t nan = 0x7fff;
#if defined(KOINON_FLOAT16_TO_FLOAT)
  static KOINON_FORCE_INLINE float decoded_at_once(storage_type bits) {
    float value = 0;
    KOINON_FLOAT16_TO_FLOAT(value, bits);
    return value;
  }
#endif
#if defined(KOINON_FLOAT_TO_FLOAT16)
  static KOINON_FORCE_INLINE std::uint32_t encoded_at_once(float value) {
    std::uint32_t narrow = 0;
    KOINON_FLOAT_TO_FLOAT16(narrow, value);
    return narrow;
  }
#endif
};

}  // namespace Impl

/// Half precision, 2 bytes on every backend. From 65520 on, a magnitude rounds to infinity.
using float16 = NarrowFloat<Impl::NarrowFormat<Impl::Float16Layout>>;
static_assert(sizeof(float16) == 2 && std::is_trivially_copyable_v<float16>);

}  // namespace Koinon
