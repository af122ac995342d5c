// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <elements/Koinon_FloatBits.hpp>

namespace Koinon::Impl {

/// Converts between float and a format with a smaller exponent, with selects and no branch, so that loops vectorize
/// with SSE2 already. Every float operation here is exact or the one intended rounding, and none depends on how
/// subnormals of float are treated.
/// @tparam Layout gives `storage_type`, `mantissa_bits`, `bias`, `sign`, `largest` (finite), `has_infinity`,
///         `infinity` (the first magnitude that is not finite), `nan`, and `saturates`: what overflows becomes
///         `largest`, else infinity; where the processor does it by one instruction, `decoded_at_once(bits)`, and
///         `encoded_at_once(value)`, of which the lowest bits are the result
template <class Layout>
struct NarrowFormat : Layout {
  using storage_type = typename Layout::storage_type;

  /// @post the exact value; NaN gives 0x7fffffff
  static KOINON_FORCE_INLINE constexpr float decode(storage_type bits) {
    if constexpr (requires { Layout::decoded_at_once(bits); }) {
      if (!__builtin_is_constant_evaluated()) return Layout::decoded_at_once(bits);
    }
    auto const wide = static_cast<std::uint32_t>(bits);
    auto const magnitude = static_cast<std::int32_t>(wide & (Layout::sign - 1));
    std::int32_t const normal = (magnitude << dropped_bits) + exponent_offset;
    auto const subnormal = bit_cast<std::int32_t>(static_cast<float>(magnitude) * unit);
    std::int32_t finite = select_below(magnitude, 1 << Layout::mantissa_bits, subnormal, normal);
    if constexpr (Layout::has_infinity) {
      finite = select_below(magnitude, static_cast<std::int32_t>(Layout::infinity), finite, float_infinity);
    }
    constexpr auto last_number = static_cast<std::int32_t>(Layout::has_infinity ? Layout::infinity : Layout::largest);
    auto const sign = static_cast<std::int32_t>((wide & Layout::sign) << (32 - storage_bits));
    return bit_cast<float>(select_below(last_number, magnitude, 0x7fffffff, finite | sign));
  }

  /// @post the nearest number of the format, ties to even; NaN gives `nan`
  static KOINON_FORCE_INLINE constexpr storage_type encode(float value) {
    if constexpr (requires { Layout::encoded_at_once(value); }) {
      if (!__builtin_is_constant_evaluated()) return static_cast<storage_type>(Layout::encoded_at_once(value));
    }
    auto const bits = bit_cast<std::uint32_t>(value);
    auto const magnitude = static_cast<std::int32_t>(bits & 0x7fffffffu);
    // Half an ulp less one, plus the last bit that stays: carries exactly if the rest is above a tie, or at a tie and
    // odd.
    std::int32_t const bounded = magnitude < overflow ? magnitude : overflow;
    std::int32_t const carry = (1 << (dropped_bits - 1)) - 1 + ((bounded >> dropped_bits) & 1);
    std::int32_t normal = (bounded - exponent_offset + carry) >> dropped_bits;
    constexpr auto limit = static_cast<std::int32_t>(Layout::saturates ? Layout::largest : Layout::infinity);
    normal = normal < limit ? normal : limit;
    // The last place of this sum is worth one unit of the format: the addition itself rounds to it.
    std::int32_t const subnormal =
        bit_cast<std::int32_t>(bit_cast<float>(magnitude) + rounder) - bit_cast<std::int32_t>(rounder);
    std::int32_t const finite = select_below(magnitude, smallest_normal, subnormal, normal);
    auto const sign = static_cast<std::int32_t>((bits >> (32 - storage_bits)) & Layout::sign);
    return static_cast<storage_type>(
        select_below(float_infinity, magnitude, static_cast<std::int32_t>(Layout::nan), finite | sign));
  }

 private:
  static constexpr float power_of_two(int exponent) {
    float power = 1.0f;
    for (; exponent > 0; --exponent) power *= 2.0f;
    for (; exponent < 0; ++exponent) power *= 0.5f;
    return power;
  }

  static constexpr int storage_bits = 8 * static_cast<int>(sizeof(storage_type));
  static constexpr int dropped_bits = 23 - Layout::mantissa_bits;
  static constexpr std::int32_t exponent_offset = (127 - Layout::bias) << 23;
  static constexpr std::int32_t smallest_normal = (128 - Layout::bias) << 23;
  static constexpr std::int32_t float_infinity = 0x7f800000;
  /// The power of two above `largest`, as float bits.
  static constexpr std::int32_t overflow =
      (static_cast<std::int32_t>(Layout::largest >> Layout::mantissa_bits) + 128 - Layout::bias) << 23;
  /// The smallest subnormal.
  static constexpr float unit = power_of_two(1 - Layout::bias - Layout::mantissa_bits);
  static constexpr float rounder = power_of_two(24 - Layout::bias - Layout::mantissa_bits);
};

}  // namespace Koinon::Impl
