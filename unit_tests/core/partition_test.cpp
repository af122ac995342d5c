// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_EvenPartition.hpp>
#include <collectives/Koinon_Shares.hpp>
#include <protocol/Koinon_Partition.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace Koinon::Impl {
namespace {

TEST(Partition, PartsAreNeighboursThatCoverTheRangeAndAreCutAtTheGrain) {
  for (std::size_t const begin : {std::size_t{0}, std::size_t{7}}) {
    for (std::size_t const size : {0, 1, 31, 32, 33, 1000, 4097}) {
      for (int const parts : {1, 2, 3, 8, 33}) {
        for (std::size_t const grain : {std::size_t{1}, std::size_t{32}}) {
          Range const whole{begin, begin + size};
          std::size_t at = begin;
          for (int i = 0; i < parts; ++i) {
            Range const part = part_of(whole, i, parts, grain);
            ASSERT_EQ(part.begin, at);
            ASSERT_GE(part.end, part.begin);
            ASSERT_TRUE(part.size() == 0 || (part.begin - begin) % grain == 0);
            at = part.end;
          }
          ASSERT_EQ(at, whole.end) << size << " in " << parts;
        }
      }
    }
  }
}

TEST(Partition, PiecesOfRoundsCoverTheRangeAndPastItsEndAreEmpty) {
  for (std::size_t const size : {0, 1, 99, 100, 101, 1000}) {
    Range const whole{13, 13 + size};
    std::uint32_t const rounds = rounds_of(whole, 100);
    EXPECT_EQ(rounds, size == 0 ? 1u : (size + 99) / 100);
    std::size_t at = 13;
    for (std::uint32_t r = 0; r < rounds; ++r) {
      Range const piece = piece_of(whole, r, 100);
      ASSERT_EQ(piece.begin, at);
      ASSERT_LE(piece.size(), 100u);
      at = piece.end;
    }
    EXPECT_EQ(at, whole.end);
    EXPECT_EQ(piece_of(whole, rounds, 100).size(), 0u);
  }
}

TEST(Shares, EvenOnesAreTheEvenPartitionTimesTheRow) {
  for (std::size_t const rows : {0, 1, 2, 7, 8, 100}) {
    for (int const ranks : {1, 2, 3, 8, 33}) {
      Shares shares;
      shares.divide_evenly(rows, 12, ranks);
      EvenPartition const even = even_partition(static_cast<std::int64_t>(rows), ranks);
      for (int p = 0; p < ranks; ++p) {
        EXPECT_EQ(shares.of(p).begin, static_cast<std::size_t>(even.offset(p)) * 12);
        EXPECT_EQ(shares.of(p).size(), static_cast<std::size_t>(even.count(p)) * 12);
      }
      EXPECT_EQ(shares.longest, static_cast<std::size_t>(even.max_count()) * 12);
    }
  }
}

TEST(Shares, OfAnOwnerAreAllOrNothing) {
  Shares shares;
  shares.give_all_to(2, 30, 4);
  for (int p = 0; p < 4; ++p) EXPECT_EQ(shares.of(p).size(), p == 2 ? 30u : 0u);
  EXPECT_EQ(shares.of(2).begin, 0u);
  EXPECT_EQ(shares.longest, 30u);
}

TEST(Shares, OfGivenOffsetsMayBeEmptyAnywhere) {
  for (int const ranks : {4, 100}) {  // as many as travel with a launch, and more
    std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks));
    counts[1] = 1;
    counts[3] = 2;
    std::vector<std::size_t> room(counts.size() + 1);
    Shares shares;
    shares.divide_evenly(3, 12, ranks);
    shares.give(counts, room.data());
    EXPECT_EQ(shares.of(0).size(), 0u);
    EXPECT_EQ(shares.of(1).begin, 0u);
    EXPECT_EQ(shares.of(1).size(), 12u);
    EXPECT_EQ(shares.of(2).size(), 0u);
    EXPECT_EQ(shares.of(3).size(), 24u);
    EXPECT_EQ(shares.of(ranks - 1).end, 36u);
    EXPECT_EQ(shares.longest, 24u);
  }
}

}  // namespace
}  // namespace Koinon::Impl
