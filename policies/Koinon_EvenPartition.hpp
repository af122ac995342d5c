// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace Koinon {

/// Holds the counts of an even partition as a range of one count a rank, computed on demand.
/// @post (*this)[r] == total / ranks + (r < total % ranks), and the counts add up to total
class EvenPartition {
 public:
  class Iterator;

  constexpr EvenPartition() = default;

  /// @pre total >= 0, ranks >= 1
  constexpr EvenPartition(std::int64_t total, int ranks)
      : m_quotient(total / ranks), m_remainder(total % ranks), m_ranks(ranks) {}

  constexpr std::size_t size() const { return static_cast<std::size_t>(m_ranks); }
  constexpr bool empty() const { return m_ranks == 0; }
  constexpr std::int64_t total() const { return m_quotient * m_ranks + m_remainder; }

  /// @pre 0 <= rank < size()
  constexpr std::int64_t count(std::int64_t rank) const { return m_quotient + (rank < m_remainder ? 1 : 0); }

  /// Gives the sum of the counts of all ranks below.
  /// @pre 0 <= rank <= size()
  constexpr std::int64_t offset(std::int64_t rank) const {
    return m_quotient * rank + (rank < m_remainder ? rank : m_remainder);
  }

  /// Gives the largest count, which is rank 0's.
  constexpr std::int64_t max_count() const { return m_ranks == 0 ? 0 : count(0); }

  constexpr std::int64_t operator[](std::size_t rank) const { return count(static_cast<std::int64_t>(rank)); }
  constexpr Iterator begin() const;
  constexpr Iterator end() const;

  friend constexpr bool operator==(EvenPartition const&, EvenPartition const&) = default;

 private:
  std::int64_t m_quotient = 0;
  std::int64_t m_remainder = 0;
  std::int64_t m_ranks = 0;
};

/// Walks over the counts; holds the partition by value, so that it outlives a temporary one.
class EvenPartition::Iterator {
 public:
  using value_type = std::int64_t;
  using difference_type = std::ptrdiff_t;
  using reference = std::int64_t;
  using pointer = void;
  using iterator_category = std::input_iterator_tag;
  using iterator_concept = std::random_access_iterator_tag;

  constexpr Iterator() = default;
  constexpr Iterator(EvenPartition const& partition, difference_type rank) : m_partition(partition), m_rank(rank) {}

  constexpr value_type operator*() const { return m_partition.count(m_rank); }
  constexpr value_type operator[](difference_type step) const { return m_partition.count(m_rank + step); }

  constexpr Iterator& operator+=(difference_type step) {
    m_rank += step;
    return *this;
  }
  constexpr Iterator& operator-=(difference_type step) { return *this += -step; }
  constexpr Iterator& operator++() { return *this += 1; }
  constexpr Iterator& operator--() { return *this += -1; }
  constexpr Iterator operator++(int) {
    Iterator const before = *this;
    ++*this;
    return before;
  }
  constexpr Iterator operator--(int) {
    Iterator const before = *this;
    --*this;
    return before;
  }

  friend constexpr Iterator operator+(Iterator place, difference_type step) { return place += step; }
  friend constexpr Iterator operator+(difference_type step, Iterator place) { return place += step; }
  friend constexpr Iterator operator-(Iterator place, difference_type step) { return place -= step; }
  friend constexpr difference_type operator-(Iterator const& left, Iterator const& right) {
    return left.m_rank - right.m_rank;
  }
  friend constexpr bool operator==(Iterator const& left, Iterator const& right) { return left.m_rank == right.m_rank; }
  friend constexpr auto operator<=>(Iterator const& left, Iterator const& right) {
    return left.m_rank <=> right.m_rank;
  }

 private:
  EvenPartition m_partition;
  difference_type m_rank = 0;
};

constexpr EvenPartition::Iterator EvenPartition::begin() const {
  return Iterator(*this, 0);
}
constexpr EvenPartition::Iterator EvenPartition::end() const {
  return Iterator(*this, m_ranks);
}

/// Splits total over the ranks: all counts, the first total % ranks one larger.
/// @pre total >= 0, ranks >= 1
constexpr EvenPartition even_partition(std::int64_t total, int ranks) {
  return EvenPartition(total, ranks);
}

}  // namespace Koinon
