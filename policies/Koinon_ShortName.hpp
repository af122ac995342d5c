// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace Koinon {

/// Holds a short name inside itself: a value that needs no owner, also at compile time.
class ShortName {
 public:
  static constexpr std::size_t capacity = 31;

  constexpr ShortName() = default;
  constexpr ShortName(char const* text) : ShortName(std::string_view(text)) {}

  /// @throws std::out_of_range when text is longer than capacity
  constexpr ShortName(std::string_view text) {
    // The library's own check throws, so that this header compiles without exceptions.
    if (text.size() > capacity) (void)std::string_view("a name has at most 31 characters").at(text.size());
    for (std::size_t index = 0; index < text.size(); ++index) m_text[index] = text[index];
    m_size = static_cast<unsigned char>(text.size());
  }

  constexpr std::string_view view() const { return {m_text, m_size}; }
  constexpr bool empty() const { return m_size == 0; }

  friend constexpr bool operator==(ShortName const& left, ShortName const& right) {
    using Words = std::array<std::uint64_t, 4>;
    return std::bit_cast<Words>(left) == std::bit_cast<Words>(right);
  }

 private:
  char m_text[capacity] = {};
  unsigned char m_size = 0;
};

}  // namespace Koinon
