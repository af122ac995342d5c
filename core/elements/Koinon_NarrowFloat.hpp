// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <elements/Koinon_FloatBits.hpp>

#include <concepts>
#include <limits>

namespace Koinon {

/// A floating-point number of one or two bytes that is stored as such and computed with as float.
/// Conversion from float, double and integers rounds once, to nearest, ties to even; conversion to float is exact.
/// A NaN loses sign and payload, as in the conversion instructions of GPUs: it becomes the format's `nan`, and widened
/// 0x7fffffff (bfloat16 keeps both when widened). Bits move untouched: copies, `bits` and `from_bits` convert nothing.
/// @tparam Format what differs: `storage_type`, `encode(float)`, `decode(storage_type)` and the facts of numeric_limits
template <class Format>
class NarrowFloat {
 public:
  using format_type = Format;
  using storage_type = typename Format::storage_type;

  NarrowFloat() = default;
  explicit KOINON_FORCE_INLINE constexpr NarrowFloat(float value) : m_bits(Format::encode(value)) {}
  explicit KOINON_FORCE_INLINE constexpr NarrowFloat(double value)
      : m_bits(Format::encode(Impl::round_to_odd(value))) {}
  template <Impl::ConvertibleInteger I>
  explicit KOINON_FORCE_INLINE constexpr NarrowFloat(I value) : m_bits(Format::encode(Impl::round_to_odd(value))) {}
  template <class Other>
  requires(!std::same_as<Other, Format>) explicit KOINON_FORCE_INLINE constexpr NarrowFloat(NarrowFloat<Other> value)
      : NarrowFloat(static_cast<float>(value)) {}

  template <class Number>
  requires(std::is_arithmetic_v<Number>) explicit KOINON_FORCE_INLINE constexpr operator Number() const {
    return static_cast<Number>(Format::decode(m_bits));
  }

  KOINON_FORCE_INLINE constexpr storage_type bits() const { return m_bits; }
  static KOINON_FORCE_INLINE constexpr NarrowFloat from_bits(storage_type bits) {
    NarrowFloat made{};
    made.m_bits = bits;
    return made;
  }

  // Each arithmetic operator rounds its own result; a float has enough bits that it is the correctly rounded one.
  friend KOINON_FORCE_INLINE constexpr NarrowFloat operator+(NarrowFloat a, NarrowFloat b) {
    return NarrowFloat(a.wide() + b.wide());
  }
  friend KOINON_FORCE_INLINE constexpr NarrowFloat operator-(NarrowFloat a, NarrowFloat b) {
    return NarrowFloat(a.wide() - b.wide());
  }
  friend KOINON_FORCE_INLINE constexpr NarrowFloat operator*(NarrowFloat a, NarrowFloat b) {
    return NarrowFloat(a.wide() * b.wide());
  }
  friend KOINON_FORCE_INLINE constexpr NarrowFloat operator/(NarrowFloat a, NarrowFloat b) {
    return NarrowFloat(a.wide() / b.wide());
  }
  KOINON_FORCE_INLINE constexpr NarrowFloat& operator+=(NarrowFloat other) { return *this = *this + other; }
  KOINON_FORCE_INLINE constexpr NarrowFloat& operator-=(NarrowFloat other) { return *this = *this - other; }
  KOINON_FORCE_INLINE constexpr NarrowFloat& operator*=(NarrowFloat other) { return *this = *this * other; }
  KOINON_FORCE_INLINE constexpr NarrowFloat& operator/=(NarrowFloat other) { return *this = *this / other; }
  /// Flips the sign bit, of a NaN too.
  friend KOINON_FORCE_INLINE constexpr NarrowFloat operator-(NarrowFloat a) {
    return from_bits(static_cast<storage_type>(a.m_bits ^ Format::sign));
  }
  friend KOINON_FORCE_INLINE constexpr NarrowFloat operator+(NarrowFloat a) { return a; }

  // All spelled out: a comparison through <=> calls functions of std that a device lacks.
  friend KOINON_FORCE_INLINE constexpr bool operator==(NarrowFloat a, NarrowFloat b) { return a.wide() == b.wide(); }
  friend KOINON_FORCE_INLINE constexpr bool operator!=(NarrowFloat a, NarrowFloat b) { return a.wide() != b.wide(); }
  friend KOINON_FORCE_INLINE constexpr bool operator<(NarrowFloat a, NarrowFloat b) { return a.wide() < b.wide(); }
  friend KOINON_FORCE_INLINE constexpr bool operator>(NarrowFloat a, NarrowFloat b) { return a.wide() > b.wide(); }
  friend KOINON_FORCE_INLINE constexpr bool operator<=(NarrowFloat a, NarrowFloat b) { return a.wide() <= b.wide(); }
  friend KOINON_FORCE_INLINE constexpr bool operator>=(NarrowFloat a, NarrowFloat b) { return a.wide() >= b.wide(); }

 private:
  KOINON_FORCE_INLINE constexpr float wide() const { return Format::decode(m_bits); }

  storage_type m_bits;
};

}  // namespace Koinon

/// Facts of a narrow float, from its format.
template <class Format>
class std::numeric_limits<Koinon::NarrowFloat<Format>> {
  using Number = Koinon::NarrowFloat<Format>;
  static KOINON_FORCE_INLINE constexpr Number number(unsigned bits) {
    return Number::from_bits(static_cast<typename Format::storage_type>(bits));
  }

 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = Format::has_infinity;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = false;
  static constexpr std::float_denorm_style has_denorm = std::denorm_present;
  static constexpr bool has_denorm_loss = false;
  static constexpr std::float_round_style round_style = std::round_to_nearest;
  static constexpr bool is_iec559 = Format::has_infinity && !Format::saturates;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;
  static constexpr int radix = 2;
  static constexpr int digits = Format::mantissa_bits + 1;
  static constexpr int digits10 = Format::mantissa_bits * 30103 / 100000;
  static constexpr int max_digits10 = 2 + digits * 30103 / 100000;
  static constexpr int min_exponent = 2 - Format::bias;
  static constexpr int max_exponent = static_cast<int>(Format::largest >> Format::mantissa_bits) - Format::bias + 1;
  static constexpr int min_exponent10 = (min_exponent - 1) * 30103 / 100000;
  static constexpr int max_exponent10 = max_exponent * 30103 / 100000;

  static KOINON_FORCE_INLINE constexpr Number min() noexcept { return number(1u << Format::mantissa_bits); }
  static KOINON_FORCE_INLINE constexpr Number max() noexcept { return number(Format::largest); }
  static KOINON_FORCE_INLINE constexpr Number lowest() noexcept { return number(Format::sign | Format::largest); }
  static KOINON_FORCE_INLINE constexpr Number denorm_min() noexcept { return number(1); }
  static KOINON_FORCE_INLINE constexpr Number round_error() noexcept { return Number(0.5f); }
  /// The gap between 1 and the next number.
  static KOINON_FORCE_INLINE constexpr Number epsilon() noexcept {
    return Number(1.0f / static_cast<float>(1 << Format::mantissa_bits));
  }
  static KOINON_FORCE_INLINE constexpr Number infinity() noexcept {
    return number(Format::has_infinity ? Format::infinity : 0u);
  }
  static KOINON_FORCE_INLINE constexpr Number quiet_NaN() noexcept { return number(Format::nan); }
  static KOINON_FORCE_INLINE constexpr Number signaling_NaN() noexcept { return number(0); }
};
