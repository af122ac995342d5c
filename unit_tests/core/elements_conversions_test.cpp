// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elements_oracle.hpp"
#include <elements/Koinon_Elements.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <type_traits>

namespace {

template <class T>
class Conversions : public testing::Test {};
using NarrowTypes = testing::Types<Koinon::float16, Koinon::bfloat16, Koinon::float8_e4m3, Koinon::float8_e5m2>;
TYPED_TEST_SUITE(Conversions, NarrowTypes);

/// Calls `check` with a float of every class that rounding can tell apart: sign, exponent, the bits that the format
/// keeps, the next one, and of the rest whether it is 0, just above or all ones. Infinities and NaNs are among them.
template <class T, class Check>
void for_each_class(Check check) {
  constexpr unsigned told = 1 + 8 + Oracle::Shape<T>::mantissa_bits + 1;
  constexpr unsigned rest = 32 - told;
  for (std::uint32_t top = 0; top < (1u << told); ++top) {
    for (std::uint32_t const low : {0u, 1u, (1u << rest) - 1}) check(std::bit_cast<float>((top << rest) | low));
  }
}

TYPED_TEST(Conversions, RoundFloatsOfEveryClassToNearestEven) {
  unsigned overflows = 0, nans = 0, subnormals = 0, zeros = 0;
  constexpr unsigned smallest_normal = 1u << Oracle::Shape<TypeParam>::mantissa_bits;
  for_each_class<TypeParam>([&](float x) {
    TypeParam const rounded(x);
    ASSERT_EQ(rounded.bits(), Oracle::nearest<TypeParam>(x)) << std::hexfloat << x;
    unsigned const magnitude = rounded.bits() & (Oracle::patterns<TypeParam> / 2 - 1);
    nans += std::isnan(x);
    overflows += !std::isnan(x) && std::fabs(x) > Oracle::finite_values<TypeParam>().back();
    subnormals += magnitude > 0 && magnitude < smallest_normal;
    zeros += magnitude == 0 && x != 0;
  });
  EXPECT_GT(overflows, 0u);
  EXPECT_GT(nans, 0u);
  EXPECT_GT(subnormals, 0u);
  EXPECT_GT(zeros, 0u);
}

TYPED_TEST(Conversions, RoundTheSameFloatsThroughDouble) {
  for_each_class<TypeParam>([](float x) {
    ASSERT_EQ(TypeParam(static_cast<double>(x)).bits(), TypeParam(x).bits()) << std::hexfloat << x;
  });
}

TYPED_TEST(Conversions, WidenNansAsDocumented) {
  for (unsigned bits = 0; bits < Oracle::patterns<TypeParam>; ++bits) {
    if (!std::isnan(Oracle::value_of<TypeParam>(bits))) continue;
    auto const value = TypeParam::from_bits(static_cast<typename TypeParam::storage_type>(bits));
    auto const wide = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    if constexpr (std::is_same_v<TypeParam, Koinon::bfloat16>) {
      ASSERT_EQ(wide, bits << 16) << "bfloat16 keeps sign and payload";
    } else {
      ASSERT_EQ(wide, 0x7fffffffu) << bits;
    }
  }
}

/// Every pattern of From, given to To; its own type takes it as it is, an infinity too.
template <class To, class From>
void expect_rounded_from() {
  for (unsigned bits = 0; bits < Oracle::patterns<From>; ++bits) {
    auto const value = From::from_bits(static_cast<typename From::storage_type>(bits));
    unsigned const expected = std::is_same_v<To, From> ? bits : Oracle::nearest<To>(Oracle::value_of<From>(bits));
    ASSERT_EQ(To(value).bits(), expected) << bits;
  }
}

TYPED_TEST(Conversions, BetweenNarrowTypesRoundEveryPatternOnce) {
  expect_rounded_from<TypeParam, Koinon::float16>();
  expect_rounded_from<TypeParam, Koinon::bfloat16>();
  expect_rounded_from<TypeParam, Koinon::float8_e4m3>();
  expect_rounded_from<TypeParam, Koinon::float8_e5m2>();
}

TYPED_TEST(Conversions, GiveEveryPatternItsIntegerAndItsTruth) {
  for (unsigned bits = 0; bits < Oracle::patterns<TypeParam>; ++bits) {
    double const exact = Oracle::value_of<TypeParam>(bits);
    auto const value = TypeParam::from_bits(static_cast<typename TypeParam::storage_type>(bits));
    if (!std::isnan(exact)) {
      ASSERT_EQ(static_cast<double>(value), exact) << bits;
      ASSERT_EQ(static_cast<bool>(value), exact != 0) << bits;
    }
    if (std::fabs(exact) < 0x1p62) {
      ASSERT_EQ(static_cast<long>(value), static_cast<long>(exact)) << bits;
    }
  }
}

#if defined(__FLT16_MANT_DIG__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
TEST(Float16, EqualsTheCompilersOwnInBothDirections) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    auto const theirs = static_cast<float>(std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits)));
    auto const ours = static_cast<float>(Koinon::float16::from_bits(static_cast<std::uint16_t>(bits)));
    if (std::isnan(theirs)) continue;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(ours), std::bit_cast<std::uint32_t>(theirs)) << bits;
  }
  for_each_class<Koinon::float16>([](float x) {
    if (std::isnan(x)) return;
    ASSERT_EQ(Koinon::float16(x).bits(), std::bit_cast<std::uint16_t>(static_cast<_Float16>(x))) << x;
  });
}
#pragma GCC diagnostic pop
#endif

}  // namespace
