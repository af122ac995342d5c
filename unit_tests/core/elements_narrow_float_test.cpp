// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elements_oracle.hpp"
#include <elements/Koinon_Elements.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

namespace {

template <class T>
class NarrowFloats : public testing::Test {};
using NarrowTypes = testing::Types<Koinon::float16, Koinon::bfloat16, Koinon::float8_e4m3, Koinon::float8_e5m2>;
TYPED_TEST_SUITE(NarrowFloats, NarrowTypes);

template <class T>
T pattern(unsigned bits) {
  return T::from_bits(static_cast<typename T::storage_type>(bits));
}

/// Calls @p check with every half-way point between neighbours, exact in double, of both signs.
template <class T, class Check>
void for_each_tie(Check check) {
  auto const& values = Oracle::finite_values<T>();
  for (std::size_t i = 1; i < values.size(); ++i) {
    double const tie = values[i - 1] + (values[i] - values[i - 1]) / 2;
    check(tie);
    check(-tie);
  }
  double const last = values.back();
  check(last + (last - values[values.size() - 2]) / 2);
  check(-last - (last - values[values.size() - 2]) / 2);
}

TYPED_TEST(NarrowFloats, EveryPatternWidensToItsExactValue) {
  for (unsigned bits = 0; bits < Oracle::patterns<TypeParam>; ++bits) {
    double const expected = Oracle::value_of<TypeParam>(bits);
    auto const wide = static_cast<float>(pattern<TypeParam>(bits));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(wide)) << bits;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(static_cast<double>(wide)), std::bit_cast<std::uint64_t>(expected))
          << bits;
    }
  }
}

TYPED_TEST(NarrowFloats, EveryFinitePatternSurvivesFloatAndDouble) {
  for (unsigned bits = 0; bits < Oracle::patterns<TypeParam>; ++bits) {
    if (!std::isfinite(Oracle::value_of<TypeParam>(bits))) continue;
    TypeParam const value = pattern<TypeParam>(bits);
    ASSERT_EQ(TypeParam(static_cast<float>(value)).bits(), bits);
    ASSERT_EQ(TypeParam(static_cast<double>(value)).bits(), bits);
  }
}

TYPED_TEST(NarrowFloats, EveryNanBecomesThePositiveAllOnesPattern) {
  unsigned const nan = Oracle::patterns<TypeParam> / 2 - 1;
  for (unsigned bits = 0; bits < Oracle::patterns<TypeParam>; ++bits) {
    if (!std::isnan(Oracle::value_of<TypeParam>(bits))) continue;
    ASSERT_EQ(TypeParam(static_cast<float>(pattern<TypeParam>(bits))).bits(), nan);
    ASSERT_EQ(pattern<TypeParam>(bits).bits(), bits) << "a copy must keep a NaN's bits";
  }
  for (std::uint32_t const bits : {0x7f800001u, 0x7fc00000u, 0x7fffffffu, 0xff800001u, 0xffc12345u, 0xffffffffu}) {
    ASSERT_EQ(TypeParam(std::bit_cast<float>(bits)).bits(), nan);
    ASSERT_EQ(TypeParam(static_cast<double>(std::bit_cast<float>(bits))).bits(), nan);
  }
}

TYPED_TEST(NarrowFloats, FloatsAtAndBesideEveryTieRoundToNearestEven) {
  for_each_tie<TypeParam>([](double tie) {
    auto const middle = static_cast<float>(tie);
    ASSERT_EQ(static_cast<double>(middle), tie) << "a tie must be a float";
    for (float const x : {middle, std::nextafterf(middle, -INFINITY), std::nextafterf(middle, INFINITY)}) {
      ASSERT_EQ(TypeParam(x).bits(), Oracle::nearest<TypeParam>(x)) << x;
    }
  });
}

TYPED_TEST(NarrowFloats, FloatsBesideEveryValueRoundBackToIt) {
  for (double const value : Oracle::finite_values<TypeParam>()) {
    for (float const x : {std::nextafterf(static_cast<float>(value), -INFINITY),
                          std::nextafterf(static_cast<float>(value), INFINITY)}) {
      ASSERT_EQ(TypeParam(x).bits(), Oracle::nearest<TypeParam>(x)) << x;
    }
  }
}

TYPED_TEST(NarrowFloats, RandomFloatsRoundToNearestEven) {
  std::mt19937 random(20);
  for (int i = 0; i < 1'000'000; ++i) {
    auto const x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    ASSERT_EQ(TypeParam(x).bits(), Oracle::nearest<TypeParam>(x)) << x;
  }
  // Random bits are mostly out of range: once more with the exponents of the format.
  auto const largest = static_cast<int>(std::numeric_limits<TypeParam>::max_exponent);
  auto const smallest = static_cast<int>(std::numeric_limits<TypeParam>::min_exponent - 14);
  std::uniform_int_distribution<int> exponent(smallest, largest);
  std::uniform_real_distribution<float> mantissa(-1.0f, 1.0f);
  for (int i = 0; i < 1'000'000; ++i) {
    float const x = std::ldexp(mantissa(random), exponent(random));
    ASSERT_EQ(TypeParam(x).bits(), Oracle::nearest<TypeParam>(x)) << x;
  }
}

TYPED_TEST(NarrowFloats, DoublesRoundOnceAlsoWhereAFloatInBetweenWouldLandOnTheTie) {
  int twice_differs = 0;
  for_each_tie<TypeParam>([&](double tie) {
    // Closer to the tie than a float can say.
    for (double const x : {tie, std::nextafter(tie, -INFINITY), std::nextafter(tie, INFINITY), tie * (1 + 0x1p-30),
                           tie * (1 - 0x1p-30)}) {
      ASSERT_EQ(TypeParam(x).bits(), Oracle::nearest<TypeParam>(x)) << x;
      twice_differs += TypeParam(static_cast<float>(x)).bits() != TypeParam(x).bits();
    }
  });
  EXPECT_GT(twice_differs, 0) << "the inputs must tell one rounding from two";
}

TYPED_TEST(NarrowFloats, RandomAndExtremeDoublesRoundToNearestEven) {
  std::mt19937_64 random(21);
  std::uniform_int_distribution<int> exponent(std::numeric_limits<TypeParam>::min_exponent - 12,
                                              std::numeric_limits<TypeParam>::max_exponent + 1);
  for (int i = 0; i < 1'000'000; ++i) {
    double const x = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), exponent(random) - 63);
    ASSERT_EQ(TypeParam(x).bits(), Oracle::nearest<TypeParam>(x)) << x;
  }
  for (double const x : {0.0, -0.0, 0x1p-1074, -0x1p-1074, 0x1p-1022, 0x1p-150, 0x1.8p-150, -0x1p-149, 0x1p-126,
                         0x1p127, 0x1.fffffep127, 0x1.ffffffp127, 0x1p128, 1e300, -1e300, HUGE_VAL, -HUGE_VAL}) {
    ASSERT_EQ(TypeParam(x).bits(), Oracle::nearest<TypeParam>(x)) << x;
  }
}

TYPED_TEST(NarrowFloats, IntegersRoundOnce) {
  for (int i = -100'000; i <= 100'000; ++i) {
    ASSERT_EQ(TypeParam(i).bits(), Oracle::nearest<TypeParam>(i)) << i;
  }
  for (int shift = 0; shift < 62; ++shift) {
    std::int64_t const one = std::int64_t{1} << shift;
    ASSERT_EQ(TypeParam(one).bits(), Oracle::nearest<TypeParam>(std::ldexp(1.0, shift)));
    ASSERT_EQ(TypeParam(-one).bits(), Oracle::nearest<TypeParam>(-std::ldexp(1.0, shift)));
  }
  ASSERT_EQ(TypeParam(std::numeric_limits<std::int64_t>::min()).bits(), Oracle::nearest<TypeParam>(-0x1p63));
  ASSERT_EQ(TypeParam(std::numeric_limits<std::uint64_t>::max()).bits(), Oracle::nearest<TypeParam>(0x1p64));
  ASSERT_EQ(TypeParam(true).bits(), TypeParam(1.0f).bits());
}

TYPED_TEST(NarrowFloats, ArithmeticIsTheCorrectlyRoundedOne) {
  std::mt19937 random(22);
  bool const all_pairs = sizeof(TypeParam) == 1;
  unsigned const pairs = all_pairs ? 65536 : 1'000'000;
  for (unsigned i = 0; i < pairs; ++i) {
    TypeParam const a = pattern<TypeParam>(all_pairs ? i >> 8 : random() & 0xffff);
    TypeParam const b = pattern<TypeParam>(all_pairs ? i & 0xff : random() & 0xffff);
    double const x = static_cast<double>(a);
    double const y = static_cast<double>(b);
    ASSERT_EQ((a + b).bits(), Oracle::nearest<TypeParam>(x + y)) << x << " + " << y;
    ASSERT_EQ((a - b).bits(), Oracle::nearest<TypeParam>(x - y)) << x << " - " << y;
    ASSERT_EQ((a * b).bits(), Oracle::nearest<TypeParam>(x * y)) << x << " * " << y;
    ASSERT_EQ((a / b).bits(), Oracle::nearest<TypeParam>(x / y)) << x << " / " << y;
    TypeParam in_place = a;
    in_place += b;
    in_place *= b;
    in_place -= b;
    in_place /= b;
    ASSERT_EQ(in_place.bits(), (((a + b) * b - b) / b).bits());
    ASSERT_EQ((-a).bits(), a.bits() ^ (Oracle::patterns<TypeParam> / 2));
    ASSERT_EQ((+a).bits(), a.bits());
  }
}

TYPED_TEST(NarrowFloats, ComparisonsAreThoseOfTheValues) {
  std::mt19937 random(23);
  bool const all_pairs = sizeof(TypeParam) == 1;
  unsigned const pairs = all_pairs ? 65536 : 1'000'000;
  for (unsigned i = 0; i < pairs; ++i) {
    unsigned const first = all_pairs ? i >> 8 : random() & 0xffff;
    unsigned const second = all_pairs ? i & 0xff : (i % 4 == 0 ? first ^ 0x8000u : random() & 0xffff);
    TypeParam const a = pattern<TypeParam>(first);
    TypeParam const b = pattern<TypeParam>(second);
    double const x = Oracle::value_of<TypeParam>(first);
    double const y = Oracle::value_of<TypeParam>(second);
    ASSERT_EQ(a == b, x == y);
    ASSERT_EQ(a != b, x != y);
    ASSERT_EQ(a < b, x < y);
    ASSERT_EQ(a > b, x > y);
    ASSERT_EQ(a <= b, x <= y);
    ASSERT_EQ(a >= b, x >= y);
  }
}

TYPED_TEST(NarrowFloats, LimitsAreThoseOfTheFiniteValues) {
  using Limits = std::numeric_limits<TypeParam>;
  auto const& values = Oracle::finite_values<TypeParam>();
  EXPECT_EQ(static_cast<double>(Limits::max()), values.back());
  EXPECT_EQ(static_cast<double>(Limits::lowest()), -values.back());
  EXPECT_EQ(static_cast<double>(Limits::denorm_min()), values[1]);
  EXPECT_EQ(static_cast<double>(Limits::min()), values[std::size_t{1} << (Limits::digits - 1)]);
  EXPECT_EQ(static_cast<double>(Limits::min()), std::ldexp(1.0, Limits::min_exponent - 1));
  EXPECT_EQ(std::ilogb(values.back()) + 1, Limits::max_exponent);
  auto const one = std::lower_bound(values.begin(), values.end(), 1.0);
  EXPECT_EQ(static_cast<double>(Limits::epsilon()), one[1] - one[0]);
  EXPECT_EQ(static_cast<double>(Limits::round_error()), 0.5);
  EXPECT_TRUE(Limits::quiet_NaN() != Limits::quiet_NaN());
  EXPECT_EQ(Limits::has_infinity, Oracle::Shape<TypeParam>::infinities);
  EXPECT_EQ(std::isinf(static_cast<float>(Limits::infinity())), Limits::has_infinity);
  EXPECT_EQ(Limits::digits10, static_cast<int>(std::floor((Limits::digits - 1) * std::log10(2.0))));
  EXPECT_EQ(Limits::max_digits10, static_cast<int>(std::ceil(Limits::digits * std::log10(2.0) + 1)));
  EXPECT_EQ(Limits::min_exponent10, static_cast<int>(std::ceil(std::log10(static_cast<double>(Limits::min())))));
  EXPECT_EQ(Limits::max_exponent10, static_cast<int>(std::floor(std::log10(values.back()))));
}

TEST(Float16, OverflowsToInfinityFromHalfAnUlpAboveTheLargest) {
  EXPECT_EQ(Koinon::float16(65519.996f).bits(), 0x7bff);
  EXPECT_EQ(Koinon::float16(65520.0f).bits(), 0x7c00);
  EXPECT_EQ(Koinon::float16(-INFINITY).bits(), 0xfc00);
}

TEST(Bfloat16, OverflowsToInfinityFromHalfAnUlpAboveTheLargest) {
  EXPECT_EQ(Koinon::bfloat16(0x1.fefffep127f).bits(), 0x7f7f);
  EXPECT_EQ(Koinon::bfloat16(0x1.ffp127f).bits(), 0x7f80);
  EXPECT_EQ(Koinon::bfloat16(-0x1.fffffep127f).bits(), 0xff80);
}

TEST(Bfloat16, LongIntegersKeepTheBitThatADoubleWouldLose) {
  std::int64_t const tie = (std::int64_t{1} << 62) + (std::int64_t{1} << 54);
  EXPECT_EQ(static_cast<double>(Koinon::bfloat16(tie)), 0x1p62);
  EXPECT_EQ(static_cast<double>(Koinon::bfloat16(tie + 1)), 0x1.02p62);
  EXPECT_EQ(static_cast<double>(Koinon::bfloat16(-tie - 1)), -0x1.02p62);
}

TEST(Float8, SaturatesAtTheLargestFiniteNumber) {
  EXPECT_EQ(static_cast<float>(Koinon::float8_e4m3(464.1f)), 448.0f);
  EXPECT_EQ(static_cast<float>(Koinon::float8_e4m3(INFINITY)), 448.0f);
  EXPECT_EQ(static_cast<float>(Koinon::float8_e4m3(-1e30)), -448.0f);
  EXPECT_EQ(static_cast<float>(Koinon::float8_e5m2(61440.0f)), 57344.0f);
  EXPECT_EQ(static_cast<float>(Koinon::float8_e5m2(-INFINITY)), -57344.0f);
  EXPECT_EQ(static_cast<float>(Koinon::float8_e5m2::from_bits(0x7c)), INFINITY);
}

TEST(RoundToOdd, KeepsExactFloatsAndMakesAllOthersOddAndAdjacent) {
  EXPECT_EQ(Koinon::Impl::round_to_odd(0x1p-1074), 0x1p-149f);
  EXPECT_EQ(Koinon::Impl::round_to_odd(-1e300), -0x1.fffffep127f);
  EXPECT_EQ(Koinon::Impl::round_to_odd(HUGE_VAL), INFINITY);
  EXPECT_TRUE(std::isnan(Koinon::Impl::round_to_odd(std::numeric_limits<double>::quiet_NaN())));
  std::mt19937_64 random(24);
  std::uniform_int_distribution<int> exponent(-160, 126);
  for (int i = 0; i < 1'000'000; ++i) {
    double const x = std::ldexp(static_cast<double>(random() >> 11), exponent(random) - 52);
    float const odd = Koinon::Impl::round_to_odd(x);
    auto const nearest = static_cast<float>(x);
    ASSERT_EQ(Koinon::Impl::round_to_odd(static_cast<double>(nearest)), nearest);
    if (static_cast<double>(nearest) == x) {
      ASSERT_EQ(odd, nearest);
    } else {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(odd) & 1u, 1u) << x;
      ASSERT_TRUE(std::nextafterf(odd, 0.0f) < x && x < std::nextafterf(odd, INFINITY)) << x;
    }
  }
}

TEST(NarrowFloat, ConvertsInConstantExpressions) {
  static_assert(Koinon::float16(1.5f).bits() == 0x3e00 && Koinon::bfloat16(-2).bits() == 0xc000);
  static_assert(static_cast<float>(Koinon::float8_e4m3(Koinon::bfloat16(0.75))) == 0.75f);
  static_assert(Koinon::float16(1e300) == std::numeric_limits<Koinon::float16>::infinity());
  static_assert(Koinon::float8_e5m2(3.0f) * Koinon::float8_e5m2(2.0f) == Koinon::float8_e5m2(6.0f));
  SUCCEED();
}

}  // namespace
