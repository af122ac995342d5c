// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <protocol/Koinon_LaunchNumber.hpp>

#include <gtest/gtest.h>

namespace Koinon::Impl {
namespace {

TEST(LaunchNumber, AdvancesByOneAndIsFiveAfterTheLast) {
  EXPECT_EQ(next_launch_number(0), 1u);
  EXPECT_EQ(next_launch_number(0x7FFFFFFFu), 0x80000000u);
  EXPECT_EQ(next_launch_number(0xFFFFFFFEu), 0xFFFFFFFFu);
  EXPECT_EQ(next_launch_number(0xFFFFFFFFu), 5u);
  static_assert(next_launch_number(41) == 42);
}

TEST(LaunchNumber, ZeroAndTheNumberThatTellsOfTheWrapAreNeverReachedFromALaterOne) {
  LaunchNumber number = 0xFFFFFFF0u;
  for (int i = 0; i < 100; ++i) {
    LaunchNumber const next = next_launch_number(number);
    EXPECT_NE(next, 0u);
    EXPECT_NE(next, wrap_number);
    number = next;
  }
  EXPECT_EQ(number, 0xFFFFFFF0u + 100 + first_after_wrap);
}

TEST(LaunchNumber, OnlyTheLastOneWraps) {
  EXPECT_TRUE(wraps_after(0xFFFFFFFFu));
  for (LaunchNumber const n : {0u, 4u, 5u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFEu}) EXPECT_FALSE(wraps_after(n)) << n;
}

TEST(LaunchNumber, HalvesAlternateButAcrossTheWrapWhichABarrierMakesSafe) {
  for (LaunchNumber const n : {1u, 2u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFDu, 0xFFFFFFFEu}) {
    EXPECT_NE(half_of(n), half_of(next_launch_number(n))) << n;
  }
  EXPECT_EQ(half_of(0xFFFFFFFFu), half_of(next_launch_number(0xFFFFFFFFu)));
}

TEST(LaunchNumber, HasReachedComparesOverBothWraps) {
  for (LaunchNumber const n : {1u, 6u, 0x7FFFFFFEu, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu}) {
    EXPECT_TRUE(has_reached(n, n)) << n;
    EXPECT_TRUE(has_reached(n + 1, n)) << n;
    EXPECT_TRUE(has_reached(n + 0x7FFFFFFFu, n)) << n;
    EXPECT_FALSE(has_reached(n - 1, n)) << n;
    EXPECT_FALSE(has_reached(n + 0x80000001u, n)) << n;
  }
  // What a rank behind the wrap tells is ahead of every number before it.
  EXPECT_TRUE(has_reached(wrap_number, 0xFFFFFFFFu));
  EXPECT_TRUE(has_reached(first_after_wrap, wrap_number));
  EXPECT_FALSE(has_reached(0xFFFFFFFFu, wrap_number));
  // Zeroed memory is behind the first launch, and not ahead of it.
  EXPECT_FALSE(has_reached(0, 1));
}

}  // namespace
}  // namespace Koinon::Impl
