// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elements_oracle.hpp"
#include <reducers/Koinon_ReducerTraits.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

namespace {

using Koinon::bfloat16;
using Koinon::float16;

/// Reduces as a collective does: one value a rank, rank 0's first.
template <class R, class T>
T reduce(std::vector<T> const& ranks) {
  Koinon::ReducerTraits<R, T> const traits{};
  auto accumulator = traits.first(ranks[0]);
  for (std::size_t rank = 1; rank < ranks.size(); ++rank) traits.join(accumulator, ranks[rank]);
  return traits.finish(accumulator, static_cast<int>(ranks.size()));
}

template <class T>
class SignedZeros : public testing::Test {};
using RealTypes = testing::Types<float, double, float16, bfloat16, Koinon::float8_e4m3, Koinon::float8_e5m2>;
TYPED_TEST_SUITE(SignedZeros, RealTypes);

template <class T>
bool is_negative(T value) {
  return std::signbit(static_cast<double>(value));
}

TYPED_TEST(SignedZeros, SumOfNegativeZerosStaysNegative) {
  TypeParam const zero(-0.0f);
  for (std::size_t ranks = 1; ranks <= 8; ++ranks) {
    EXPECT_TRUE(is_negative(reduce<Koinon::Sum>(std::vector<TypeParam>(ranks, zero))));
    EXPECT_TRUE(is_negative(reduce<Koinon::Average>(std::vector<TypeParam>(ranks, zero))));
  }
}

TYPED_TEST(SignedZeros, NegativeZeroIsBelowPositiveZero) {
  TypeParam const below(-0.0f);
  TypeParam const above(0.0f);
  for (auto const& ranks : {std::vector{below, above}, std::vector{above, below}}) {
    EXPECT_TRUE(is_negative(reduce<Koinon::Min>(ranks)));
    EXPECT_FALSE(is_negative(reduce<Koinon::Max>(ranks)));
  }
}

TYPED_TEST(SignedZeros, MinAndMaxIgnoreANanUnlessAllAre) {
  TypeParam const nan = std::numeric_limits<TypeParam>::quiet_NaN();
  TypeParam const minus_nan = -nan;
  TypeParam const one(1.0f);
  TypeParam const two(2.0f);
  for (TypeParam const n : {nan, minus_nan}) {
    for (auto const& ranks : {std::vector{n, two, one}, std::vector{two, n, one}, std::vector{one, two, n},
                              std::vector{n, n, two, one}, std::vector{n, one, n, two}}) {
      EXPECT_EQ(static_cast<float>(reduce<Koinon::Min>(ranks)), 1.0f);
      EXPECT_EQ(static_cast<float>(reduce<Koinon::Max>(ranks)), 2.0f);
    }
    EXPECT_TRUE(std::isnan(static_cast<float>(reduce<Koinon::Min>(std::vector{n, n, n}))));
    EXPECT_TRUE(std::isnan(static_cast<float>(reduce<Koinon::Max>(std::vector{n, n, n}))));
  }
}

/// Place of a number in the order of Min: by sign and magnitude of its bits.
template <class T>
long place(unsigned bits) {
  long const half = Oracle::patterns<T> / 2;
  return bits < half ? static_cast<long>(bits) : half - 1 - static_cast<long>(bits);
}

template <class T>
class AllPairs : public testing::Test {};
using OneByteTypes = testing::Types<Koinon::float8_e4m3, Koinon::float8_e5m2>;
TYPED_TEST_SUITE(AllPairs, OneByteTypes);

TYPED_TEST(AllPairs, MinMaxSumAndProdAreTheOraclesOnAllPatterns) {
  for (unsigned a = 0; a < 256; ++a) {
    for (unsigned b = 0; b < 256; ++b) {
      std::vector const ranks = {TypeParam::from_bits(static_cast<std::uint8_t>(a)),
                                 TypeParam::from_bits(static_cast<std::uint8_t>(b))};
      double const x = Oracle::value_of<TypeParam>(a);
      double const y = Oracle::value_of<TypeParam>(b);
      ASSERT_EQ(reduce<Koinon::Sum>(ranks).bits(), Oracle::nearest<TypeParam>(x + y));
      ASSERT_EQ(reduce<Koinon::Prod>(ranks).bits(), Oracle::nearest<TypeParam>(x * y));
      bool const a_is_less = place<TypeParam>(a) < place<TypeParam>(b);
      unsigned const least = std::isnan(x) ? b : (std::isnan(y) || a_is_less ? a : b);
      unsigned const most = std::isnan(x) ? b : (std::isnan(y) || !a_is_less ? a : b);
      ASSERT_EQ(reduce<Koinon::Min>(ranks).bits(), Oracle::nearest<TypeParam>(Oracle::value_of<TypeParam>(least)));
      ASSERT_EQ(reduce<Koinon::Max>(ranks).bits(), Oracle::nearest<TypeParam>(Oracle::value_of<TypeParam>(most)));
    }
  }
}

TEST(Sum, NarrowTypesAddInFloatAndRoundOnce) {
  // 1 + 2^-9 four times: step by step in bfloat16 every addend is lost.
  bfloat16 const small(0x1p-9f);
  EXPECT_EQ(static_cast<float>(reduce<Koinon::Sum>(std::vector{bfloat16(1.0f), small, small, small, small})),
            1.0f + 0x1p-7f);
  // Half of the largest, three times, less the largest: no infinity in between.
  EXPECT_EQ(
      static_cast<float>(reduce<Koinon::Sum>(std::vector{float16(60000.0f), float16(60000.0f), float16(-60000.0f)})),
      static_cast<float>(float16(60000.0f)));
}

TEST(Sum, AddsInRankOrder) {
  std::vector<float> const ranks = {1e8f, -1e8f, 3.0f, 1e-3f};
  EXPECT_EQ(reduce<Koinon::Sum>(ranks), ((1e8f + -1e8f) + 3.0f) + 1e-3f);
  EXPECT_EQ(reduce<Koinon::Sum>(std::vector<float>{3.0f, 1e8f, -1e8f}), 0.0f);
}

TEST(Sum, IntegersWrap) {
  int const most = std::numeric_limits<int>::max();
  EXPECT_EQ(reduce<Koinon::Sum>(std::vector<int>{most, 1}), std::numeric_limits<int>::min());
  EXPECT_EQ(reduce<Koinon::Prod>(std::vector<int>{most, most}), 1);
  EXPECT_EQ(reduce<Koinon::Prod>(std::vector<std::uint16_t>{65535, 65535}), 1);
  EXPECT_EQ(reduce<Koinon::Sum>(std::vector<std::int8_t>{100, 100}), -56);
  EXPECT_EQ(reduce<Koinon::Sum>(std::vector<long long>{std::numeric_limits<long long>::min(), -1}),
            std::numeric_limits<long long>::max());
}

TEST(Prod, MultipliesRealsIntegersAndComplexNumbers) {
  EXPECT_EQ(reduce<Koinon::Prod>(std::vector<double>{1.5, -2, 4}), -12);
  EXPECT_EQ(reduce<Koinon::Prod>(std::vector<std::int64_t>{3, -7, 11}), -231);
  using C = std::complex<float>;
  EXPECT_EQ(reduce<Koinon::Prod>(std::vector<C>{{1, 2}, {3, -1}, {0, 1}}), C(1, 2) * C(3, -1) * C(0, 1));
}

TEST(MinMax, TakeExtremesOfIntegersAndBool) {
  EXPECT_EQ(reduce<Koinon::Min>(std::vector<int>{3, -5, 4}), -5);
  EXPECT_EQ(reduce<Koinon::Max>(std::vector<int>{3, -5, 4}), 4);
  EXPECT_EQ(reduce<Koinon::Max>(std::vector<std::uint64_t>{1, ~std::uint64_t{0}, 7}), ~std::uint64_t{0});
  EXPECT_EQ(reduce<Koinon::Min>(std::vector<std::int8_t>{127, -128}), -128);
  Koinon::ReducerTraits<Koinon::Max, bool> const most{};
  bool accumulator = most.first(false);
  most.join(accumulator, true);
  EXPECT_TRUE(most.finish(accumulator, 2));
}

TEST(MinMax, RandomDoublesAndInfinitiesMatchTheStandardLibrary) {
  std::mt19937_64 random(30);
  std::normal_distribution<double> normal(0, 1e10);
  for (int i = 0; i < 100'000; ++i) {
    double const a = i % 97 == 0 ? INFINITY : normal(random);
    double const b = i % 89 == 0 ? -INFINITY : normal(random);
    ASSERT_EQ(reduce<Koinon::Min>(std::vector{a, b}), std::min(a, b));
    ASSERT_EQ(reduce<Koinon::Max>(std::vector{a, b}), std::max(a, b));
  }
}

TEST(Bitwise, CombineTheBitsOfIntegers) {
  std::vector<std::uint32_t> const ranks = {0xff00ff00u, 0x0ff00ff0u, 0xf0f0f0f0u};
  EXPECT_EQ(reduce<Koinon::BAnd>(ranks), 0x00000000u | (0xff00ff00u & 0x0ff00ff0u & 0xf0f0f0f0u));
  EXPECT_EQ(reduce<Koinon::BOr>(ranks), 0xff00ff00u | 0x0ff00ff0u | 0xf0f0f0f0u);
  EXPECT_EQ(reduce<Koinon::BXor>(ranks), 0xff00ff00u ^ 0x0ff00ff0u ^ 0xf0f0f0f0u);
  EXPECT_EQ(reduce<Koinon::BAnd>(std::vector<std::int8_t>{-1, -2}), -2);
}

TEST(Logical, GiveOneOrZeroAlsoOnOneRank) {
  EXPECT_EQ(reduce<Koinon::LAnd>(std::vector<int>{5, 7}), 1);
  EXPECT_EQ(reduce<Koinon::LAnd>(std::vector<int>{5, 0, 7}), 0);
  EXPECT_EQ(reduce<Koinon::LAnd>(std::vector<int>{2, 4}), 1) << "values, not bits, are combined";
  EXPECT_EQ(reduce<Koinon::LOr>(std::vector<int>{0, 0}), 0);
  EXPECT_EQ(reduce<Koinon::LOr>(std::vector<int>{0, 8, 0}), 1);
  EXPECT_EQ(reduce<Koinon::LAnd>(std::vector<int>{5}), 1);
  EXPECT_EQ(reduce<Koinon::LOr>(std::vector<std::int64_t>{std::int64_t{1} << 40}), 1);
}

TEST(Average, DividesOnceBeforeTheRounding) {
  EXPECT_EQ(reduce<Koinon::Average>(std::vector<double>{1, 2, 6}), 3);
  // The float sum 3 + 2^-6 is no bfloat16, and neither is its rounding's third.
  float const a = 1.0f + 0x1p-7f;
  std::vector const ranks = {bfloat16(a), bfloat16(a), bfloat16(1.0f)};
  EXPECT_EQ(reduce<Koinon::Average>(ranks).bits(), bfloat16((a + a + 1.0f) / 3.0f).bits());
  EXPECT_EQ(static_cast<float>(reduce<Koinon::Average>(std::vector{float16(60000.0f), float16(60000.0f)})),
            static_cast<float>(float16(60000.0f)))
      << "the sum alone would be infinite";
  EXPECT_EQ(reduce<Koinon::Average>(std::vector<std::complex<double>>{{1, 2}, {3, -6}}), std::complex<double>(2, -2));
}

TEST(Average, TruncatesTheQuotientOfIntegers) {
  EXPECT_EQ(reduce<Koinon::Average>(std::vector<int>{-3, -4}), -3);
  EXPECT_EQ(reduce<Koinon::Average>(std::vector<int>{3, 4}), 3);
  EXPECT_EQ(reduce<Koinon::Average>(std::vector<std::uint64_t>{~std::uint64_t{0} - 1, 1}), ~std::uint64_t{0} / 2);
  EXPECT_EQ(reduce<Koinon::Average>(std::vector<std::int8_t>(200, std::int8_t{1})), 0) << "the sum wraps, 200 must not";
}

TEST(Average, CompletesInTheAccumulatorForEpilogues) {
  Koinon::ReducerTraits<Koinon::Average, bfloat16> const traits{};
  float accumulator = traits.first(bfloat16(1.0f));
  traits.join(accumulator, bfloat16(1.0f + 0x1p-7f));
  EXPECT_EQ(traits.complete(accumulator, 2), 1.0f + 0x1p-8f);
}

}  // namespace
