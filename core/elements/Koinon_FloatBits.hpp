// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace Koinon::Impl {

/// Reinterprets the bits of @p from; std::bit_cast is not callable on every device.
template <class To, class From>
requires(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> &&
         std::is_trivially_copyable_v<From>) KOINON_FORCE_INLINE constexpr To bit_cast(From const& from) {
  return __builtin_bit_cast(To, from);
}

/// Gives `a < b ? yes : no` by a mask. A conditional lets the compiler move the float operation that feeds one side
/// into a branch, and then no loop around it vectorizes (g++ 12, which respects floating-point traps by default).
/// @pre a and b are not negative
KOINON_FORCE_INLINE constexpr std::int32_t select_below(std::int32_t a, std::int32_t b, std::int32_t yes,
                                                        std::int32_t no) {
  std::int32_t const mask = (a - b) >> 31;
  return (yes & mask) | (no & ~mask);
}

/// Integers that a narrow float can be made from: those of at most 64 bits.
template <class I>
concept ConvertibleInteger = std::integral<I> && sizeof(I) <= 8;

/// Rounds to a float whose last bit is sticky (round to odd), so that rounding the result once more to a format
/// with at least two significand bits less gives what rounding @p value directly would.
/// Integer arithmetic only: exact for subnormals too where the device flushes them, and usable in constant expressions.
KOINON_INLINE_FUNCTION constexpr float round_to_odd(double value) {
  auto const bits = bit_cast<std::uint64_t>(value);
  auto const sign = static_cast<std::uint32_t>(bits >> 32) & 0x80000000u;
  std::uint64_t const magnitude = bits & 0x7fffffffffffffffu;
  std::uint64_t const infinity = std::uint64_t{0x7ff} << 52;
  std::uint64_t const above_float = std::uint64_t{1023 + 128} << 52;   // 2^128
  std::uint64_t const float_normal = std::uint64_t{1023 - 126} << 52;  // 2^-126
  std::uint32_t odd = 0;
  if (magnitude >= infinity) {
    odd = magnitude == infinity ? 0x7f800000u : 0x7fffffffu;
  } else if (magnitude >= above_float) {
    odd = 0x7f7fffffu;  // the largest float, itself odd
  } else if (magnitude >= float_normal) {
    std::uint64_t const rebased = magnitude - (std::uint64_t{1023 - 127} << 52);
    odd = static_cast<std::uint32_t>(rebased >> 29) | static_cast<std::uint32_t>((rebased & 0x1fffffffu) != 0);
  } else {
    std::uint64_t const exponent = magnitude >> 52;
    std::uint64_t const shift = 29 + (1023 - 126) - exponent;
    std::uint64_t const significand = (magnitude & 0xfffffffffffffu) | (std::uint64_t{1} << 52);
    // A double below 2^-179 is sticky only: also the subnormal ones, whose implicit bit is not there.
    odd = shift > 63 ? static_cast<std::uint32_t>(magnitude != 0)
                     : static_cast<std::uint32_t>(significand >> shift) |
                           static_cast<std::uint32_t>((significand & ((std::uint64_t{1} << shift) - 1)) != 0);
  }
  return bit_cast<float>(sign | odd);
}

/// The same for an integer.
template <ConvertibleInteger I>
KOINON_INLINE_FUNCTION constexpr float round_to_odd(I value) {
  bool const negative = value < I{};
  auto magnitude = static_cast<std::uint64_t>(value);
  if (negative) magnitude = std::uint64_t{0} - magnitude;
  // A double holds 53 bits: longer magnitudes give their last 11 bits to one sticky bit, so that the next line is
  // exact.
  if ((magnitude >> 53) != 0) {
    magnitude = (magnitude & ~std::uint64_t{0x7ff}) | ((magnitude & 0x7ff) != 0 ? std::uint64_t{0x800} : 0u);
  }
  auto const exact = static_cast<double>(magnitude);
  return round_to_odd(negative ? -exact : exact);
}

}  // namespace Koinon::Impl
