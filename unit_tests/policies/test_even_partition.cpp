// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_EvenPartition.hpp>

#include <gtest/gtest.h>

#include <array>
#include <iterator>
#include <limits>
#include <numeric>
#include <ranges>
#include <vector>

namespace {

using Koinon::even_partition;
using Koinon::EvenPartition;

static_assert(std::random_access_iterator<EvenPartition::Iterator>);
static_assert(std::ranges::random_access_range<EvenPartition> && std::ranges::sized_range<EvenPartition>);

TEST(EvenPartition, is_a_constant_expression) {
  constexpr EvenPartition counts = even_partition(10, 4);
  static_assert(counts.size() == 4 && counts.total() == 10 && counts.max_count() == 3);
  static_assert(counts[0] == 3 && counts[1] == 3 && counts[2] == 2 && counts[3] == 2);
  static_assert(counts.offset(0) == 0 && counts.offset(2) == 6 && counts.offset(4) == 10);
  constexpr auto sum = [](EvenPartition const& partition) {
    std::int64_t result = 0;
    for (std::int64_t const count : partition) result += count;
    return result;
  };
  static_assert(sum(counts) == 10);
  std::array<int, counts[0]> const array{};
  EXPECT_EQ(array.size(), 3U);
}

TEST(EvenPartition, every_rank_has_its_count_and_the_counts_add_up) {
  for (int ranks = 1; ranks <= 40; ++ranks) {
    for (std::int64_t total = 0; total <= 130; ++total) {
      EvenPartition const counts = even_partition(total, ranks);
      ASSERT_EQ(counts.size(), static_cast<std::size_t>(ranks));
      std::int64_t offset = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        ASSERT_EQ(counts.count(rank), total / ranks + (rank < total % ranks ? 1 : 0));
        ASSERT_EQ(counts[static_cast<std::size_t>(rank)], counts.count(rank));
        ASSERT_EQ(counts.offset(rank), offset);
        ASSERT_LE(counts.count(rank), counts.max_count());
        offset += counts.count(rank);
      }
      ASSERT_EQ(offset, total);
      ASSERT_EQ(counts.offset(ranks), total);
      ASSERT_EQ(counts.total(), total);
      ASSERT_EQ(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), total);
    }
  }
}

TEST(EvenPartition, counts_in_64_bits) {
  std::int64_t const largest = std::numeric_limits<std::int64_t>::max();
  for (int const ranks : {1, 2, 3, 7, 33}) {
    EvenPartition const counts = even_partition(largest, ranks);
    EXPECT_EQ(counts.offset(ranks), largest);
    EXPECT_EQ(counts.total(), largest);
    EXPECT_EQ(counts.offset(ranks - 1) + counts.count(ranks - 1), largest);
  }
}

TEST(EvenPartition, iterators_move_both_ways_and_outlive_the_partition) {
  auto const first = even_partition(11, 4).begin();
  auto const last = first + 4;
  EXPECT_EQ(std::vector<std::int64_t>(first, last), (std::vector<std::int64_t>{3, 3, 3, 2}));
  EXPECT_EQ(last - first, 4);
  EXPECT_EQ(last[-1], 2);
  EXPECT_EQ(*(last - 2), 3);
  EXPECT_EQ(*(1 + first), 3);
  EXPECT_LT(first, last);
  auto place = first;
  EXPECT_EQ(*place++, 3);
  EXPECT_EQ(place - first, 1);
  EXPECT_EQ(*--place, 3);
  EXPECT_EQ(place--, first);
  EXPECT_TRUE(EvenPartition().empty());
  EXPECT_EQ(EvenPartition().begin(), EvenPartition().end());
}

TEST(EvenPartition, equal_arguments_give_equal_partitions) {
  EXPECT_EQ(even_partition(5, 3), even_partition(5, 3));
  EXPECT_NE(even_partition(5, 3), even_partition(6, 3));
  EXPECT_NE(even_partition(0, 2), even_partition(0, 3));
}

}  // namespace
