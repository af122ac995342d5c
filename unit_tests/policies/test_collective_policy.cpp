// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MockSpace.hpp"

#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

namespace {

using namespace Koinon;
using Mock::DefaultSpace;
using Mock::OtherSpace;

template <class KernelSelector>
struct Kernel {};

template <class... Traits>
using KernelOf = Kernel<typename CollectivePolicy<Traits...>::kernel_selector>;

class CollectivePolicyTest : public testing::Test {
 protected:
  Impl::CommunicatorState<DefaultSpace> m_state;
  Impl::CommunicatorState<OtherSpace> m_other_state;
  Communicator<DefaultSpace> m_communicator{DefaultSpace{7}, m_state};
  Communicator<OtherSpace> m_other_communicator{OtherSpace{8}, m_other_state};
};

TEST_F(CollectivePolicyTest, deduces_the_shortest_type_for_the_default_space) {
  CollectivePolicy policy(DefaultSpace{1}, m_communicator);
  CollectivePolicy of_communicator(m_communicator);
  static_assert(std::is_same_v<decltype(policy), CollectivePolicy<>>);
  static_assert(std::is_same_v<decltype(of_communicator), CollectivePolicy<>>);
  EXPECT_EQ(policy.space().stream, 1);
  EXPECT_EQ(of_communicator.space().stream, 7);
}

TEST_F(CollectivePolicyTest, deduces_another_space_by_name) {
  OtherSpace const space{2};
  CollectivePolicy policy(space, m_other_communicator);
  CollectivePolicy of_communicator(m_other_communicator);
  static_assert(std::is_same_v<decltype(policy), CollectivePolicy<OtherSpace>>);
  static_assert(std::is_same_v<decltype(of_communicator), CollectivePolicy<OtherSpace>>);
  EXPECT_EQ(policy.space().stream, 2);
  EXPECT_EQ(of_communicator.space().stream, 8);
}

TEST_F(CollectivePolicyTest, finds_its_space_at_any_place) {
  static_assert(std::is_same_v<CollectivePolicy<>::execution_space, DefaultSpace>);
  static_assert(std::is_same_v<CollectivePolicy<TwoShot>::execution_space, DefaultSpace>);
  static_assert(std::is_same_v<CollectivePolicy<OtherSpace, TwoShot>::execution_space, OtherSpace>);
  static_assert(std::is_same_v<CollectivePolicy<TwoShot, OtherSpace, PeerLoad>::execution_space, OtherSpace>);
  static_assert(std::is_same_v<CollectivePolicy<TwoShot, PeerLoad, OtherSpace>::execution_space, OtherSpace>);
}

TEST_F(CollectivePolicyTest, one_kernel_for_every_order_of_traits) {
  using Expected = KernelOf<TwoShot, PeerLoad, BlockThreads<512>>;
  static_assert(std::is_same_v<Expected, KernelOf<TwoShot, BlockThreads<512>, PeerLoad>>);
  static_assert(std::is_same_v<Expected, KernelOf<PeerLoad, TwoShot, BlockThreads<512>>>);
  static_assert(std::is_same_v<Expected, KernelOf<PeerLoad, BlockThreads<512>, TwoShot>>);
  static_assert(std::is_same_v<Expected, KernelOf<BlockThreads<512>, TwoShot, PeerLoad>>);
  static_assert(std::is_same_v<Expected, KernelOf<BlockThreads<512>, PeerLoad, TwoShot>>);
}

TEST_F(CollectivePolicyTest, one_kernel_whatever_traits_do_not_change_code) {
  static_assert(std::is_same_v<KernelOf<>, KernelOf<DefaultSpace>>);
  static_assert(std::is_same_v<KernelOf<>, KernelOf<Auto, AutoTransport, AutoBlocks>>);
  static_assert(std::is_same_v<KernelOf<OneShot>, KernelOf<FixedBlocks<8>, OneShot, Deterministic, SkipEntryBarrier>>);
  static_assert(!std::is_same_v<KernelOf<OneShot>, KernelOf<TwoShot>>);
  static_assert(!std::is_same_v<KernelOf<PeerLoad>, KernelOf<Multimem>>);
  static_assert(!std::is_same_v<KernelOf<BlockThreads<256>>, KernelOf<BlockThreads<512>>>);
}

TEST_F(CollectivePolicyTest, selector_holds_what_the_template_traits_fix) {
  static_assert(CollectivePolicy<>::selector == Selector{});
  static_assert(CollectivePolicy<BlockThreads<512>, OtherSpace, LowLatency, Multimem>::selector ==
                Selector{Algorithm::low_latency, Transport::multimem, 512});
  static_assert(CollectivePolicy<TwoShot>::kernel_selector::selector == CollectivePolicy<TwoShot>::selector);
}

TEST_F(CollectivePolicyTest, template_traits_are_required) {
  CollectivePolicy<TwoShot, FixedBlocks<8>, Deterministic> const policy(m_communicator);
  EXPECT_EQ(policy.request().asked,
            (Tuning{.algorithm = Algorithm::two_shot, .geometry = Geometry::fixed_blocks, .blocks = 8}));
  EXPECT_EQ(policy.request().required, CategorySet(Category::algorithm, Category::geometry, Category::determinism));
  EXPECT_TRUE(policy.request().deterministic());
  EXPECT_TRUE(policy.request().conflicting.empty());
}

TEST_F(CollectivePolicyTest, equal_requests_for_every_order_of_traits) {
  CollectivePolicy<OneRowABlock, RowTiles<1024>, BlockThreads<32>> const one(m_communicator);
  CollectivePolicy<BlockThreads<32>, RowTiles<1024>, OneRowABlock> const other(m_communicator);
  EXPECT_EQ(one.request(), other.request());
}

TEST_F(CollectivePolicyTest, require_and_prefer_keep_the_type_and_the_argument) {
  CollectivePolicy const policy(m_communicator);
  auto strict = require(policy, Deterministic{});
  auto faster = prefer(policy, OneShot{});
  auto chosen = prefer(policy, Tuning{.algorithm = Algorithm::two_shot, .blocks = 8});
  auto exact = require(policy, Tuning{.algorithm = Algorithm::two_shot, .blocks = 8});
  static_assert(std::is_same_v<decltype(strict), CollectivePolicy<>>);
  static_assert(std::is_same_v<decltype(faster), CollectivePolicy<>>);
  static_assert(std::is_same_v<decltype(chosen), CollectivePolicy<>>);
  static_assert(std::is_same_v<decltype(exact), CollectivePolicy<>>);
  static_assert(std::is_same_v<decltype(strict)::row_type, decltype(policy)::row_type>);
  EXPECT_EQ(policy.request(), Request{});
  EXPECT_TRUE(strict.request().deterministic());
  EXPECT_EQ(faster.request().asked.algorithm, Algorithm::one_shot);
  EXPECT_TRUE(faster.request().required.empty());
  EXPECT_EQ(chosen.request().asked, exact.request().asked);
  EXPECT_TRUE(chosen.request().required.empty());
  EXPECT_EQ(exact.request().required, CategorySet(Category::algorithm, Category::geometry));
  EXPECT_EQ(strict.state(), policy.state());
  EXPECT_EQ(strict.space().stream, policy.space().stream);
}

TEST_F(CollectivePolicyTest, requiring_the_policy_s_own_trait_again_is_no_contradiction) {
  CollectivePolicy<TwoShot> const policy(m_communicator);
  EXPECT_EQ(require(policy, TwoShot{}).request(), policy.request());
}

TEST_F(CollectivePolicyTest, follows_a_moved_communicator) {
  CollectivePolicy const policy(m_communicator);
  EXPECT_EQ(&policy.communicator(), &m_communicator);
  Communicator<DefaultSpace> moved(std::move(m_communicator));
  EXPECT_EQ(&policy.communicator(), &moved);
}

TEST_F(CollectivePolicyTest, refuses_a_temporary_communicator) {
  static_assert(std::is_constructible_v<CollectivePolicy<>, DefaultSpace, Communicator<DefaultSpace>&>);
  static_assert(std::is_constructible_v<CollectivePolicy<>, DefaultSpace, Communicator<DefaultSpace> const&>);
  static_assert(!std::is_constructible_v<CollectivePolicy<>, DefaultSpace, Communicator<DefaultSpace>>);
  static_assert(!std::is_constructible_v<CollectivePolicy<>, Communicator<DefaultSpace>>);
  static_assert(!std::is_constructible_v<CollectivePolicy<>, OtherSpace, Communicator<OtherSpace>&>);
}

TEST_F(CollectivePolicyTest, is_a_cheap_value) {
  static_assert(std::is_trivially_copyable_v<CollectivePolicy<>>);
  static_assert(sizeof(CollectivePolicy<>) <= 16 + sizeof(Request));
}

TEST_F(CollectivePolicyTest, a_space_without_row_traits_disturbs_nobody_who_does_not_ask) {
  static_assert(std::is_same_v<CollectivePolicy<TwoShot>::row_type, Mock::Row>);
  Impl::CommunicatorState<Mock::RowlessSpace> state;
  Communicator<Mock::RowlessSpace> communicator{Mock::RowlessSpace{}, state};
  CollectivePolicy const policy(communicator);
  EXPECT_EQ(&policy.communicator(), &communicator);
}

}  // namespace
