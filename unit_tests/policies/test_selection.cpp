// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SelectionFacts.hpp"
#include <Koinon_Selection.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace {

using namespace Koinon;
using Mock::all_reduce;
using Mock::machine;
using Mock::required_all_reduce;

TEST(Selection, without_a_table_the_default_follows_the_size) {
  EXPECT_EQ(all_reduce({}, machine(4096))->algorithm, Algorithm::low_latency);
  EXPECT_EQ(all_reduce({}, machine(4100))->algorithm, Algorithm::one_shot);
  EXPECT_EQ(all_reduce({}, machine(80 * 1024))->algorithm, Algorithm::one_shot);
  EXPECT_EQ(all_reduce({}, machine(80 * 1024 + 4))->algorithm, Algorithm::two_shot);
  SelectionAnswer const answer = all_reduce({}, machine());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->transport, Transport::peer_load) << "multicast rounds otherwise: never without being asked";
  EXPECT_EQ(answer->block_threads, 256);
  EXPECT_EQ(answer->vector_bytes, 16);
  EXPECT_EQ(answer->vectors_in_flight, 4);
  EXPECT_EQ(answer->tile_elements, 256 * 4 * 4);
  EXPECT_EQ(answer->blocks, 16);
  EXPECT_FALSE(answer->tuned || answer->deterministic || answer->skip_entry_barrier || answer->dependent_launch);
  EXPECT_TRUE(answer->preferences_dropped.empty());
}

TEST(Selection, the_one_shot_edge_never_grows_with_the_ranks) {
  for (std::int32_t ranks = 3; ranks < 100; ++ranks) {
    EXPECT_LE(one_shot_edge_bytes(ranks), one_shot_edge_bytes(ranks - 1));
    EXPECT_GT(one_shot_edge_bytes(ranks), 0);
  }
}

TEST(Selection, a_required_trait_is_kept) {
  SelectionAnswer const answer =
      required_all_reduce<TwoShot, Multimem, BlockThreads<512>, FixedBlocks<8>, VectorBytes<8>, VectorsInFlight<2>>(
          machine(64));
  ASSERT_TRUE(answer) << answer.reason();
  EXPECT_EQ(answer->algorithm, Algorithm::two_shot);
  EXPECT_EQ(answer->transport, Transport::multimem);
  EXPECT_EQ(answer->block_threads, 512);
  EXPECT_EQ(answer->blocks, 8);
  EXPECT_EQ(answer->vector_bytes, 8);
  EXPECT_EQ(answer->vectors_in_flight, 2);
}

TEST(Selection, a_preferred_trait_is_kept_where_it_is_possible) {
  SelectionAnswer const answer = all_reduce(preferred(Request{}, Tuning{.algorithm = Algorithm::two_shot,
                                                                        .transport = Transport::multimem,
                                                                        .blocks = 8,
                                                                        .block_threads = 512,
                                                                        .vector_bytes = 8,
                                                                        .vectors_in_flight = 2}),
                                            machine(64));
  ASSERT_TRUE(answer) << answer.reason();
  EXPECT_EQ(answer->algorithm, Algorithm::two_shot);
  EXPECT_EQ(answer->transport, Transport::multimem);
  EXPECT_EQ(answer->block_threads, 512);
  EXPECT_EQ(answer->blocks, 8);
  EXPECT_EQ(answer->vector_bytes, 8);
  EXPECT_EQ(answer->vectors_in_flight, 2);
  EXPECT_TRUE(answer->preferences_dropped.empty());
}

/// Checks one trait that the facts forbid: required it is refused with these words, preferred it is dropped and
/// recorded.
template <class Trait>
void expect_impossible(Facts const& facts, std::vector<std::string> const& words, CategorySet category) {
  SelectionAnswer const strict = required_all_reduce<Trait>(facts);
  EXPECT_FALSE(strict);
  for (std::string const& word : words) {
    EXPECT_NE(strict.reason().find(word), std::string::npos) << word << " is missing in: " << strict.reason();
  }
  SelectionAnswer const lenient = all_reduce(preferred(Request{}, Trait{}), facts);
  ASSERT_TRUE(lenient) << lenient.reason();
  EXPECT_EQ(lenient->preferences_dropped, category);
  if (category == CategorySet(Category::geometry)) return;  // falls back to the nearest number instead
  Selection plain = *all_reduce({}, facts);
  plain.preferences_dropped = category;
  EXPECT_EQ(*lenient, plain) << "falls back to what nobody asked for";
}

TEST(Selection, an_impossible_trait_is_refused_when_required_and_dropped_when_preferred) {
  Facts facts = machine();
  facts.transports.refuse(Transport::multimem, "float32 min has no multicast instruction");
  expect_impossible<Multimem>(facts, {"multimem", "float32 min has no multicast instruction"}, Category::transport);

  facts = machine();
  facts.algorithms.refuse(Algorithm::one_shot, "the epilogue needs owned rows");
  expect_impossible<OneShot>(facts, {"one_shot", "the epilogue needs owned rows"}, Category::algorithm);

  expect_impossible<LowLatency>(machine(4100), {"low_latency", "4100", "4096"}, Category::algorithm);
  expect_impossible<BlockThreads<2048>>(machine(), {"2048", "1024"}, Category::block_threads);
  expect_impossible<BlockThreads<100>>(machine(), {"100", "multiple of 32"}, Category::block_threads);
  expect_impossible<VectorBytes<32>>(machine(), {"32", "16"}, Category::vector_bytes);
  expect_impossible<VectorBytes<2>>(machine(), {"2", "whole elements of 4"}, Category::vector_bytes);
  expect_impossible<VectorsInFlight<9>>(machine(), {"9", "at most 8"}, Category::vectors_in_flight);
  expect_impossible<FixedBlocks<64>>(machine(), {"fixed_blocks", "64", "16"}, Category::geometry);
  expect_impossible<ScaledBlocks<20, 32>>(machine(4), {"scaled_blocks", "20", "16"}, Category::geometry);
}

TEST(Selection, too_many_preferred_blocks_become_the_agreed_number) {
  EXPECT_EQ(all_reduce(preferred(Request{}, FixedBlocks<64>{}), machine())->blocks, 16);
}

TEST(Selection, more_tiles_than_agreed_blocks_are_no_reason_to_refuse) {
  SelectionAnswer const answer = required_all_reduce<OneTileABlock<64>>(machine());
  ASSERT_TRUE(answer) << answer.reason();
  EXPECT_EQ(answer->blocks, 16);
  EXPECT_EQ(answer->tiles, (1 << 20) / 4 / 64);
}

TEST(Selection, a_refused_combination_says_so_and_is_gone_round) {
  Facts facts = machine(64);
  facts.refuse(Algorithm::low_latency, Transport::multimem, "packets are sent peer by peer");
  SelectionAnswer const strict = required_all_reduce<LowLatency, Multimem>(facts);
  ASSERT_FALSE(strict);
  EXPECT_EQ(strict.reason(), "low_latency by multimem: packets are sent peer by peer");
  EXPECT_EQ(required_all_reduce<Multimem>(facts)->algorithm, Algorithm::one_shot);
  EXPECT_EQ(required_all_reduce<LowLatency>(facts)->transport, Transport::peer_load);

  Request const both = preferred(preferred(Request{}, Multimem{}), LowLatency{});
  SelectionAnswer const lenient = all_reduce(both, facts);
  EXPECT_EQ(lenient->algorithm, Algorithm::low_latency);
  EXPECT_EQ(lenient->transport, Transport::peer_load);
  EXPECT_EQ(lenient->preferences_dropped, CategorySet(Category::transport));
}

TEST(Selection, with_no_path_left_every_reason_is_given) {
  Facts facts = machine();
  facts.algorithms = {};
  facts.algorithms.allow(Algorithm::two_shot);
  facts.refuse(Algorithm::two_shot, Transport::peer_load, "first reason");
  facts.refuse(Algorithm::two_shot, Transport::multimem, "second reason");
  SelectionAnswer const answer = all_reduce({}, facts);
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.reason().find("first reason"), std::string::npos) << answer.reason();
  EXPECT_NE(answer.reason().find("second reason"), std::string::npos) << answer.reason();
  EXPECT_NE(answer.reason().find("this operation does not offer it"), std::string::npos) << answer.reason();
}

TEST(Selection, deterministic_means_transports_that_keep_the_order) {
  SelectionAnswer const strict = required_all_reduce<Deterministic, Multimem>(machine());
  ASSERT_FALSE(strict);
  EXPECT_NE(strict.reason().find("deterministic"), std::string::npos);
  SelectionAnswer const lenient = all_reduce(preferred(request_of<Deterministic>(), Multimem{}), machine());
  ASSERT_TRUE(lenient);
  EXPECT_EQ(lenient->transport, Transport::peer_load);
  EXPECT_TRUE(lenient->deterministic);
  EXPECT_EQ(lenient->preferences_dropped, CategorySet(Category::transport));

  std::array<TuningEntry, 1> const multicast{{{.tuning = {.transport = Transport::multimem}}}};
  EXPECT_EQ(required_all_reduce<Deterministic>(machine(), TuningTable(multicast))->transport, Transport::peer_load);
  EXPECT_EQ(all_reduce({}, machine(), TuningTable(multicast))->transport, Transport::multimem);

  Facts moves = machine();
  moves.deterministic_transports.insert(Transport::multimem);
  EXPECT_TRUE((required_all_reduce<Deterministic, Multimem>(moves)));

  Facts no_peers = machine();
  no_peers.transports.refuse(Transport::peer_load, "no peer access");
  SelectionAnswer const impossible = required_all_reduce<Deterministic>(no_peers);
  ASSERT_FALSE(impossible);
  EXPECT_NE(impossible.reason().find("no peer access"), std::string::npos) << impossible.reason();
}

TEST(Selection, contradicting_requirements_are_refused_by_name) {
  Request const request = required(request_of<TwoShot>(), OneShot{});
  SelectionAnswer const answer = all_reduce(request, machine());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.reason(), "two requirements contradict each other about algorithm");
}

TEST(Selection, an_impossible_tuning_is_refused_even_as_a_preference) {
  SelectionAnswer const answer = all_reduce(preferred(Request{}, Tuning{.blocks = -3}), machine());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.reason(), "blocks is negative");
}

TEST(Selection, a_preference_that_a_requirement_replaced_is_recorded) {
  SelectionAnswer const answer = all_reduce(preferred(request_of<TwoShot>(), OneShot{}), machine());
  EXPECT_EQ(answer->algorithm, Algorithm::two_shot);
  EXPECT_EQ(answer->preferences_dropped, CategorySet(Category::algorithm));
}

}  // namespace
