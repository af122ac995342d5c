// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Request.hpp>

#include <gtest/gtest.h>

namespace {

using namespace Koinon;

TEST(Request, a_requirement_replaces_a_preference_and_records_it) {
  Request const request = required(preferred(Request{}, OneShot{}), TwoShot{});
  EXPECT_EQ(request.asked.algorithm, Algorithm::two_shot);
  EXPECT_EQ(request.required, CategorySet(Category::algorithm));
  EXPECT_EQ(request.overridden, CategorySet(Category::algorithm));
  EXPECT_TRUE(request.conflicting.empty());
}

TEST(Request, a_requirement_equal_to_the_preference_drops_nothing) {
  EXPECT_TRUE(required(preferred(Request{}, TwoShot{}), TwoShot{}).overridden.empty());
}

TEST(Request, a_preference_never_replaces_a_requirement) {
  Request const request = preferred(required(Request{}, TwoShot{}), OneShot{});
  EXPECT_EQ(request.asked.algorithm, Algorithm::two_shot);
  EXPECT_EQ(request.overridden, CategorySet(Category::algorithm));
  EXPECT_TRUE(preferred(required(Request{}, TwoShot{}), TwoShot{}).overridden.empty());
}

TEST(Request, the_last_preference_counts) {
  Request const request = preferred(preferred(Request{}, TwoShot{}), OneShot{});
  EXPECT_EQ(request, preferred(Request{}, OneShot{}));
}

TEST(Request, preferring_auto_takes_a_preference_back) {
  EXPECT_EQ(preferred(preferred(Request{}, TwoShot{}), Auto{}), Request{});
  EXPECT_EQ(preferred(preferred(Request{}, FixedBlocks<3>{}), AutoBlocks{}), Request{});
  Request const strict = required(Request{}, TwoShot{});
  EXPECT_EQ(preferred(strict, Auto{}), strict);
}

TEST(Request, requirements_with_different_values_conflict) {
  EXPECT_EQ(required(required(Request{}, TwoShot{}), OneShot{}).conflicting, CategorySet(Category::algorithm));
  EXPECT_EQ(required(required(Request{}, FixedBlocks<4>{}), OneTileABlock<64>{}).conflicting,
            CategorySet(Category::geometry));
  EXPECT_TRUE(required(required(Request{}, TwoShot{}), TwoShot{}).conflicting.empty());
}

TEST(Request, a_tuning_touches_only_what_it_states) {
  Request const request = preferred(preferred(Request{}, Multimem{}), Tuning{.algorithm = Algorithm::one_shot});
  EXPECT_EQ(request.asked, (Tuning{.algorithm = Algorithm::one_shot, .transport = Transport::multimem}));
}

TEST(Request, geometry_is_replaced_as_a_whole) {
  Request const request = preferred(preferred(Request{}, ScaledBlocks<2, 9>{}), FixedBlocks<4>{});
  EXPECT_EQ(request.asked, (FixedBlocks<4>::tuning));
}

TEST(Request, dependent_launch_and_early_trigger_stand_beside_each_other) {
  constexpr Request request = request_of<EarlyTrigger, DependentLaunch>();
  static_assert(request.conflicting.empty());
  static_assert(request.asked == Tuning{.dependent_launch = Switch::on, .early_trigger = Switch::on});
}

TEST(Request, every_field_counts_in_a_comparison) {
  Request const plain;
  EXPECT_NE(plain, preferred(plain, OneShot{}));
  EXPECT_NE(preferred(plain, OneShot{}), required(plain, OneShot{}));
  EXPECT_NE(plain, required(plain, Deterministic{}));
  EXPECT_NE(plain, preferred(plain, VectorBytes<16>{}));
  EXPECT_NE(plain, preferred(plain, VectorsInFlight<2>{}));
  EXPECT_NE(plain, preferred(plain, EarlyTrigger{}));
  EXPECT_NE(required(plain, TwoShot{}), preferred(required(plain, TwoShot{}), OneShot{}));
  EXPECT_NE(required(plain, TwoShot{}), required(required(plain, TwoShot{}), OneShot{}));
}

TEST(Request, is_a_constant_of_its_traits) {
  static_assert(request_of<TwoShot, PeerLoad>() == request_of<PeerLoad, TwoShot>());
  static_assert(tuning_of<TwoShot, FixedBlocks<8>>() ==
                Tuning{.algorithm = Algorithm::two_shot, .geometry = Geometry::fixed_blocks, .blocks = 8});
}

}  // namespace
