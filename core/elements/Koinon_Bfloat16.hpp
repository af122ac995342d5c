// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <elements/Koinon_NarrowFloat.hpp>

namespace Koinon {
namespace Impl {

/// The upper half of a float: 1 sign, 8 exponent and 7 mantissa bits.
struct Bfloat16Format {
  using storage_type = std::uint16_t;
  static constexpr int mantissa_bits = 7;
  static constexpr int bias = 127;
  static constexpr bool has_infinity = true;
  static constexpr bool saturates = false;
  static constexpr std::uint32_t sign = 0x8000;
  static constexpr std::uint32_t largest = 0x7f7f;
  static constexpr std::uint32_t infinity = 0x7f80;
  static constexpr std::uint32_t nan = 0x7fff;

  /// The one format whose NaN keeps sign and payload when widened: a shift, as the hardware does it.
  static KOINON_FORCE_INLINE constexpr float decode(storage_type bits) {
    return bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }

  /// @post the nearest number of the format, ties to even, subnormals included; NaN gives 0x7fff
  static KOINON_FORCE_INLINE constexpr storage_type encode(float value) {
#if defined(KOINON_FLOAT_TO_BFLOAT16)
    if (!__builtin_is_constant_evaluated()) {
      std::uint32_t narrow = 0;
      KOINON_FLOAT_TO_BFLOAT16(narrow, value);
      return static_cast<storage_type>(narrow);
    }
#endif
    auto const bits = bit_cast<std::uint32_t>(value);
    std::uint32_t const rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    // Signed, because SSE2 compares no unsigned integers.
    bool const is_nan = static_cast<std::int32_t>(bits & 0x7fffffffu) > 0x7f800000;
    return static_cast<storage_type>(is_nan ? nan : rounded);
  }
};

}  // namespace Impl

/// The range of float with 8 significant bits, 2 bytes on every backend.
using bfloat16 = NarrowFloat<Impl::Bfloat16Format>;
static_assert(sizeof(bfloat16) == 2 && std::is_trivially_copyable_v<bfloat16>);

}  // namespace Koinon
