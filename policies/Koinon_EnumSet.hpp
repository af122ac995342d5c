// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace Koinon {

/// Holds a set of enumerators, one bit each; the enumerators are 0 .. 15.
template <class Enum>
class EnumSet {
 public:
  constexpr EnumSet() = default;

  template <class... More>
  constexpr EnumSet(Enum first, More... more) : m_bits(bits_of(first, more...)) {}

  constexpr bool contains(Enum value) const { return (m_bits & bits_of(value)) != 0; }
  constexpr bool contains_all(EnumSet other) const { return (m_bits & other.m_bits) == other.m_bits; }
  constexpr bool intersects(EnumSet other) const { return (m_bits & other.m_bits) != 0; }
  constexpr bool empty() const { return m_bits == 0; }

  constexpr int size() const {
    int count = 0;
    for (unsigned bits = m_bits; bits != 0; bits &= bits - 1U) ++count;
    return count;
  }

  constexpr void insert(EnumSet other) { m_bits = static_cast<std::uint16_t>(m_bits | other.m_bits); }
  constexpr void erase(EnumSet other) { m_bits = static_cast<std::uint16_t>(m_bits & ~other.m_bits); }

  friend constexpr EnumSet operator|(EnumSet left, EnumSet right) {
    left.insert(right);
    return left;
  }
  friend constexpr bool operator==(EnumSet const&, EnumSet const&) = default;

 private:
  template <class... Values>
  static constexpr std::uint16_t bits_of(Values... values) {
    return static_cast<std::uint16_t>((0U | ... | (1U << static_cast<unsigned>(values))));
  }

  std::uint16_t m_bits = 0;
};

}  // namespace Koinon
