// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <reducers/Koinon_ReducerTraits.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace {

using Koinon::ValueLocation;

/// Reduces in the order given.
template <class R, class V>
V reduce_located(std::vector<V> const& ranks) {
  Koinon::ReducerTraits<R, V> const traits{};
  V accumulator = traits.first(ranks[0]);
  for (std::size_t rank = 1; rank < ranks.size(); ++rank) traits.join(accumulator, ranks[rank]);
  return traits.finish(accumulator, static_cast<int>(ranks.size()));
}

/// Expects the element with location @p loc from every order of the ranks.
template <class R, class V>
void expect_in_every_order(std::vector<V> ranks, int loc) {
  auto const by_location = [](V const& a, V const& b) { return a.loc < b.loc; };
  std::sort(ranks.begin(), ranks.end(), by_location);
  do {
    EXPECT_EQ(static_cast<int>(reduce_located<R>(ranks).loc), loc);
  } while (std::next_permutation(ranks.begin(), ranks.end(), by_location));
}

TEST(MinLoc, TakesTheSmallestValueAndItsLocation) {
  expect_in_every_order<Koinon::MinLoc, ValueLocation<float, int>>({{3, 0}, {-1, 1}, {2, 2}}, 1);
  expect_in_every_order<Koinon::MaxLoc, ValueLocation<float, int>>({{3, 0}, {-1, 1}, {2, 2}}, 0);
  expect_in_every_order<Koinon::MaxLoc, ValueLocation<unsigned, long>>({{3, 0}, {~0u, 1}, {2, 2}}, 1);
}

TEST(MinLoc, TiesTakeTheLowestLocation) {
  expect_in_every_order<Koinon::MinLoc, ValueLocation<double, int>>({{1, 7}, {1, 3}, {2, 0}, {1, 5}}, 3);
  expect_in_every_order<Koinon::MaxLoc, ValueLocation<int, int>>({{1, 7}, {1, 3}, {0, 0}, {1, -5}}, -5);
}

TEST(MinLoc, NegativeZeroIsBelowPositiveZero) {
  expect_in_every_order<Koinon::MinLoc, ValueLocation<float, int>>({{0.0f, 0}, {-0.0f, 1}, {0.0f, 2}}, 1);
  expect_in_every_order<Koinon::MaxLoc, ValueLocation<double, int>>({{-0.0, 0}, {-0.0, 1}, {0.0, 2}}, 2);
}

TEST(MinLoc, ANanNeverWinsUnlessAllAre) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  expect_in_every_order<Koinon::MinLoc, ValueLocation<float, int>>({{nan, 0}, {INFINITY, 1}, {-nan, 2}}, 1);
  expect_in_every_order<Koinon::MaxLoc, ValueLocation<float, int>>({{nan, 0}, {-INFINITY, 1}, {-nan, 2}}, 1);
  expect_in_every_order<Koinon::MinLoc, ValueLocation<float, int>>({{nan, 4}, {nan, 2}, {nan, 3}}, 2);
  expect_in_every_order<Koinon::MaxLoc, ValueLocation<float, int>>({{nan, 4}, {nan, 2}, {nan, 3}}, 2);
}

TEST(MinLoc, TakesNarrowValuesAndKeepsTheirBits) {
  using Element = ValueLocation<Koinon::bfloat16, short>;
  Element const least = reduce_located<Koinon::MinLoc>(std::vector<Element>{
      {Koinon::bfloat16(1.0f), 0}, {Koinon::bfloat16::from_bits(0xff80), 1}, {Koinon::bfloat16(-3.0f), 2}});
  EXPECT_EQ(least.val.bits(), 0xff80);
  EXPECT_EQ(least.loc, 1);
}

/// The shape of another library's value with location.
struct ForeignLocated {
  double val;
  std::int64_t loc;
};

TEST(MinLoc, TakesAnyStructOfTheShape) {
  static_assert(Koinon::LocatedValue<ForeignLocated>);
  static_assert(!Koinon::LocatedValue<double>);
  static_assert(!Koinon::LocatedValue<ValueLocation<int*, int>>);
  static_assert(!Koinon::LocatedValue<ValueLocation<int, float>>);
  expect_in_every_order<Koinon::MaxLoc, ForeignLocated>({{1, 10}, {5, 30}, {5, 20}}, 20);
}

}  // namespace
