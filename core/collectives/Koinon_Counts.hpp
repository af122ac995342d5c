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

namespace Impl {

/// Holds one number a rank. Copies what it is given; up to 16 ranks without a heap allocation.
class RankNumbers {
 public:
  template <std::ranges::input_range Range>
    requires std::integral<std::ranges::range_value_t<Range>>
  explicit RankNumbers(Range const& range) {
    for (auto const value : range) push(static_cast<std::int64_t>(value));
  }
  RankNumbers(std::initializer_list<std::int64_t> values) {
    for (std::int64_t const value : values) push(value);
  }
  template <std::integral Integer>
  RankNumbers(Integer const* values, std::size_t count) {
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

}  // namespace Impl

/// Holds the rows of each rank: any range of integers, braces, or a pointer and a length.
class Counts : public Impl::RankNumbers {
 public:
  using Impl::RankNumbers::RankNumbers;
};

/// Holds the columns of each rank, given alike.
class Widths : public Impl::RankNumbers {
 public:
  using Impl::RankNumbers::RankNumbers;
};

}  // namespace Koinon
