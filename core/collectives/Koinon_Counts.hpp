// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_EvenPartition.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ranges>
#include <span>
#include <vector>

namespace Koinon {

/// Holds one number a rank: rows (Counts) or columns (Widths). Copies what it is given; up to 16 ranks without a heap
/// allocation.
class Counts {
 public:
  template <std::ranges::input_range Range>
    requires std::integral<std::ranges::range_value_t<Range>>
  explicit Counts(Range const& range) {
    for (auto const value : range) push(static_cast<std::int64_t>(value));
  }
  Counts(std::initializer_list<std::int64_t> values) {
    for (std::int64_t const value : values) push(value);
  }
  template <std::integral Integer>
  Counts(Integer const* values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) push(static_cast<std::int64_t>(values[i]));
  }

  [[nodiscard]] std::span<std::int64_t const> values() const {
    return m_size <= m_few.size() ? std::span(m_few.data(), m_size) : std::span<std::int64_t const>(m_many);
  }
  [[nodiscard]] std::size_t size() const { return m_size; }

 private:
  void push(std::int64_t value) {
    if (m_size < m_few.size()) {
      m_few[m_size] = value;
    } else {
      if (m_many.empty()) m_many.assign(m_few.begin(), m_few.end());
      m_many.push_back(value);
    }
    ++m_size;
  }

  std::array<std::int64_t, 16> m_few{};
  std::vector<std::int64_t> m_many;
  std::size_t m_size = 0;
};

}  // namespace Koinon
