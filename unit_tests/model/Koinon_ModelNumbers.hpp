// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace Koinon::Impl {

/// Holds the launch numbers' modulus: 32 stands for 2^32 and leaves a window of 16, more than the launches of a
/// sequence.
inline constexpr int modulus = 32;
inline constexpr int last_number = modulus - 1;
inline constexpr int first_after_wrap = 4;

/// Returns the number after `number`; 4 follows the last.
constexpr int number_after(int number) {
  return number == last_number ? first_after_wrap : number + 1;
}
/// Returns the number `distance` launches before `number`, not below 0, in a sequence whose numbers come after `start`.
constexpr int number_before(int number, int distance, int start) {
  for (; distance > 0; --distance) number = number == first_after_wrap && start > number ? last_number : number - 1;
  return number < 0 ? 0 : number;
}
/// Says whether `a` is `b` or after it, across the wrap.
constexpr bool wrap_safe_at_least(int a, int b) {
  return ((a - b) & (modulus - 1)) < modulus / 2;
}

/// Says how a wait compares a word with the number that it wants.
enum class Compare : std::uint8_t { at_least, plain_at_least, equal, window, equal_and_round, round_only, flag, data };

/// Packs what a memory cell holds: the number and round that waits look at, and the launch that truly wrote it.
class Value {
 public:
  Value() = default;
  Value(int number, int launch, int round) : m_bits(static_cast<std::uint16_t>(number | launch << 5 | round << 9)) {}

  /// Makes a word left from the previous cycle of numbers: its number may be any that was used until now.
  static Value left_over() { return Value(left_over_bit); }
  /// Makes a sentinel that no data has come to: as a number, the last one.
  static Value all_ones() { return Value(all_ones_bit | last_number); }
  /// Makes payload bytes: seen as a flag they may be any number.
  Value as_payload() const { return Value(m_bits | payload_bit); }

  int number() const { return m_bits & 31; }
  int launch() const { return m_bits >> 5 & 15; }
  int round() const { return m_bits >> 9 & 7; }
  bool is_left_over() const { return m_bits & left_over_bit; }
  bool is_all_ones() const { return m_bits & all_ones_bit; }
  std::uint16_t bits() const { return m_bits; }
  static Value from_bits(std::uint16_t bits) { return Value(static_cast<int>(bits)); }

  /// Says whether a wait for `number` (and `round`) passes; left-over words hold any number up to `newest_left_over`.
  bool satisfies(Compare compare, int number, int round, int newest_left_over) const {
    if (compare == Compare::data) return !is_all_ones();
    if (m_bits & payload_bit) return true;
    if (!is_left_over()) return passes(compare, this->number(), number, round);
    for (int n = first_after_wrap + 1; n <= newest_left_over; ++n)
      if (passes(compare, n, number, round)) return true;
    return false;
  }

 private:
  explicit Value(int bits) : m_bits(static_cast<std::uint16_t>(bits)) {}
  static constexpr int left_over_bit = 1 << 12, payload_bit = 1 << 13, all_ones_bit = 1 << 14;

  bool passes(Compare compare, int mine, int wanted, int wanted_round) const {
    switch (compare) {
      case Compare::at_least:
        return wrap_safe_at_least(mine, wanted);
      case Compare::plain_at_least:
        return mine >= wanted;
      case Compare::equal:
        return mine == wanted;
      case Compare::window:
        return mine == wanted || mine == number_after(wanted);
      case Compare::equal_and_round:
        return mine == wanted && (is_left_over() || round() >= wanted_round);
      case Compare::round_only:
        return is_left_over() || round() >= wanted_round;
      case Compare::flag:
        return mine != 0;
      case Compare::data:
        break;
    }
    return false;
  }

  std::uint16_t m_bits = 0;
};

}  // namespace Koinon::Impl
