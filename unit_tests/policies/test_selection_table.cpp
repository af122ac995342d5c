// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AllocationCount.hpp"
#include "SelectionFacts.hpp"
#include <Koinon_Selection.hpp>

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

namespace {

using namespace Koinon;
using Mock::all_reduce;
using Mock::machine;
using Mock::required_all_reduce;

constexpr std::array<TuningEntry, 3> measured{{
    {.up_to_bytes = 1000,
     .tuning = {.algorithm = Algorithm::one_shot, .blocks = 2, .block_threads = 64, .vectors_in_flight = 3}},
    {.tuning = {.algorithm = Algorithm::two_shot, .transport = Transport::multimem, .blocks = 12, .vector_bytes = 8}},
    {.tuning = {.algorithm = Algorithm::one_shot, .blocks = 5}},
}};

TEST(SelectionTable, what_nobody_asks_for_comes_from_the_table) {
  SelectionAnswer const small = all_reduce({}, machine(1000), TuningTable(measured));
  EXPECT_EQ(small->algorithm, Algorithm::one_shot);
  EXPECT_EQ(small->blocks, 2);
  EXPECT_EQ(small->block_threads, 64);
  EXPECT_EQ(small->vectors_in_flight, 3);
  EXPECT_TRUE(small->tuned);
  SelectionAnswer const large = all_reduce({}, machine(1001 * 4), TuningTable(measured));
  EXPECT_EQ(large->algorithm, Algorithm::two_shot);
  EXPECT_EQ(large->transport, Transport::multimem);
  EXPECT_EQ(large->blocks, 12);
  EXPECT_EQ(large->vector_bytes, 8);
  EXPECT_TRUE(large->preferences_dropped.empty());
}

TEST(SelectionTable, threads_too_few_for_the_call_are_taken_from_a_request_but_not_from_the_table) {
  Facts facts = machine(1000);
  facts.least_block_threads = 65;
  EXPECT_EQ(all_reduce({}, facts, TuningTable(measured))->block_threads, facts.default_block_threads);
  facts.least_block_threads = 64;
  EXPECT_EQ(all_reduce({}, facts, TuningTable(measured))->block_threads, 64);
  facts.least_block_threads = 128;
  Request const request = preferred(Request{}, Tuning{.block_threads = 96});
  EXPECT_EQ(all_reduce(request, facts, TuningTable(measured))->block_threads, 96);
}

TEST(SelectionTable, a_request_counts_more_than_the_table) {
  Request const request = preferred(Request{}, Tuning{.blocks = 7, .block_threads = 96});
  SelectionAnswer const answer = all_reduce(request, machine(1000), TuningTable(measured));
  EXPECT_EQ(answer->algorithm, Algorithm::one_shot);
  EXPECT_EQ(answer->blocks, 7);
  EXPECT_EQ(answer->block_threads, 96);
  EXPECT_EQ(answer->vectors_in_flight, 3);
}

TEST(SelectionTable, geometry_is_the_one_measured_for_the_chosen_algorithm) {
  EXPECT_EQ(required_all_reduce<OneShot>(machine(), TuningTable(measured))->blocks, 5);
  EXPECT_EQ(all_reduce(preferred(Request{}, OneShot{}), machine(), TuningTable(measured))->blocks, 5);
  Facts facts = machine();
  facts.algorithms.refuse(Algorithm::two_shot, "not today");
  EXPECT_EQ(all_reduce({}, facts, TuningTable(measured))->blocks, 5);

  std::array<TuningEntry, 2> const by_transport{
      {{.tuning = {.algorithm = Algorithm::two_shot, .transport = Transport::multimem, .blocks = 12}},
       {.tuning = {.algorithm = Algorithm::two_shot, .transport = Transport::peer_load, .blocks = 9}}}};
  facts = machine();
  EXPECT_EQ(all_reduce({}, facts, TuningTable(by_transport))->blocks, 12);
  facts.transports.refuse(Transport::multimem, "no multicast");
  EXPECT_EQ(all_reduce({}, facts, TuningTable(by_transport))->blocks, 9);

  SelectionAnswer const unmeasured = required_all_reduce<TwoShot, PeerLoad>(machine(), TuningTable(measured));
  EXPECT_FALSE(unmeasured->tuned);
  EXPECT_EQ(unmeasured->vector_bytes, 16);
}

TEST(SelectionTable, an_impossible_entry_of_the_table_is_never_a_refusal_nor_a_dropped_preference) {
  std::array<TuningEntry, 1> const absurd{{{.tuning = {.algorithm = Algorithm::low_latency,
                                                       .blocks = 1000,
                                                       .block_threads = 4096,
                                                       .vector_bytes = 3,
                                                       .vectors_in_flight = 100}}}};
  SelectionAnswer const answer = all_reduce({}, machine(4), TuningTable(absurd));
  ASSERT_TRUE(answer) << answer.reason();
  EXPECT_EQ(answer->blocks, 16);
  EXPECT_EQ(answer->block_threads, 256);
  EXPECT_EQ(answer->vector_bytes, 16);
  EXPECT_EQ(answer->vectors_in_flight, 4);
  EXPECT_TRUE(answer->preferences_dropped.empty());
}

TEST(SelectionTable, row_tiles_alone_mean_one_block_a_tile_whatever_the_table_says) {
  Facts facts = machine();
  facts.work = {.rows = 3, .row_elements = 2048};
  SelectionAnswer const alone = required_all_reduce<RowTiles<1024>>(facts, TuningTable(measured));
  EXPECT_EQ(alone->blocks, 6);
  EXPECT_EQ(alone->tile_elements, 1024);
  SelectionAnswer const rows = required_all_reduce<RowTiles<1024>, OneRowABlock>(facts, TuningTable(measured));
  EXPECT_EQ(rows->blocks, 3);
  SelectionAnswer const fixed = required_all_reduce<FixedBlocks<7>>(facts, TuningTable(measured));
  EXPECT_EQ(fixed->blocks, 7);
}

TEST(SelectionTable, the_entry_barrier_is_skipped_only_on_request_and_where_it_may_be) {
  Facts facts = machine();
  facts.entry_barrier_can_be_skipped = true;
  SelectionAnswer const skipping = required_all_reduce<SkipEntryBarrier>(facts);
  EXPECT_TRUE(skipping->skip_entry_barrier);
  EXPECT_TRUE(skipping->preferences_dropped.empty());
  EXPECT_FALSE(required_all_reduce<EntryBarrier>(facts)->skip_entry_barrier);
  EXPECT_FALSE(all_reduce({}, facts)->skip_entry_barrier);
  std::array<TuningEntry, 1> const hazardous{
      {{.tuning = {.entry_barrier = Entry::skip, .dependent_launch = Switch::on, .early_trigger = Switch::on}}}};
  facts.capabilities = Capability::dependent_launch;
  SelectionAnswer const answer = all_reduce({}, facts, TuningTable(hazardous));
  EXPECT_FALSE(answer->skip_entry_barrier || answer->dependent_launch || answer->early_trigger)
      << "a table changes speed only";
}

TEST(SelectionTable, a_guarantee_that_permits_to_skip_is_never_refused_and_told_where_a_barrier_stays) {
  for (Request const& request :
       {request_of<SkipEntryBarrier, TwoShot>(), preferred(request_of<TwoShot>(), SkipEntryBarrier{})}) {
    SelectionAnswer const kept = all_reduce(request, machine());
    ASSERT_TRUE(kept) << kept.reason();
    Selection expected = *required_all_reduce<TwoShot>(machine());
    expected.preferences_dropped = Category::entry_barrier;
    EXPECT_EQ(*kept, expected) << "runs as without the guarantee";
  }
  for (bool const can_be_skipped : {false, true}) {
    Facts facts = machine(64);
    facts.entry_barrier_can_be_skipped = can_be_skipped;
    SelectionAnswer const packets = required_all_reduce<SkipEntryBarrier, LowLatency>(facts);
    ASSERT_TRUE(packets) << packets.reason();
    EXPECT_EQ(*packets, *required_all_reduce<LowLatency>(facts)) << "packets have no barrier: nothing to skip or tell";
  }
}

TEST(SelectionTable, dependent_launch_is_ignored_where_a_device_has_none) {
  SelectionAnswer const without = required_all_reduce<DependentLaunch, EarlyTrigger>(machine());
  ASSERT_TRUE(without) << without.reason();
  EXPECT_FALSE(without->dependent_launch || without->early_trigger);
  EXPECT_EQ(without->preferences_dropped, CategorySet(Category::dependent_launch, Category::early_trigger));

  Facts capable = machine();
  capable.capabilities = Capability::dependent_launch;
  EXPECT_TRUE(required_all_reduce<DependentLaunch>(capable)->dependent_launch);
  EXPECT_FALSE(required_all_reduce<DependentLaunch>(capable)->early_trigger);
  SelectionAnswer const early = required_all_reduce<EarlyTrigger>(capable);
  EXPECT_TRUE(early->dependent_launch && early->early_trigger) << "an early trigger implies the dependent launch";
  EXPECT_TRUE(early->preferences_dropped.empty());
  EXPECT_FALSE(all_reduce({}, capable)->dependent_launch);
}

TEST(SelectionTable, an_early_trigger_takes_half_of_the_blocks_and_none_of_one) {
  Facts capable = machine(std::int64_t{1} << 30);
  capable.capabilities = Capability::dependent_launch;
  capable.max_blocks = 9;
  EXPECT_EQ((required_all_reduce<DependentLaunch, FixedBlocks<9>>(capable)->blocks), 9);
  EXPECT_EQ((required_all_reduce<EarlyTrigger, FixedBlocks<4>>(capable)->blocks), 4);
  SelectionAnswer const many = required_all_reduce<EarlyTrigger, FixedBlocks<5>>(capable);
  EXPECT_FALSE(many);
  EXPECT_NE(many.reason().find("at most 9, half of them with an early trigger"), std::string::npos) << many.reason();
  EXPECT_EQ(all_reduce(preferred(request_of<EarlyTrigger>(), FixedBlocks<9>{}), capable)->blocks, 4);
  capable.max_blocks = 1;
  SelectionAnswer const one = required_all_reduce<EarlyTrigger>(capable);
  EXPECT_TRUE(one->dependent_launch && !one->early_trigger);
  EXPECT_EQ(one->preferences_dropped, CategorySet(Category::early_trigger));
}

TEST(SelectionTable, allocates_nothing_when_it_succeeds) {
  TuningTable const table(measured, {{.ranks = 3, .tuning = {.blocks = 3}}});
  Facts const facts = machine();
  Request const request = preferred(request_of<TwoShot>(), FixedBlocks<64>{});
  std::size_t const before = allocation_count();
  bool granted = true;
  for (int call = 0; call < 10; ++call) granted = granted && all_reduce(request, facts, table);
  EXPECT_EQ(allocation_count(), before);
  EXPECT_TRUE(granted);
  SelectionAnswer const refused = required_all_reduce<FixedBlocks<64>>(facts);
  EXPECT_GT(allocation_count(), before) << "the counter counts";
}

TEST(SelectionTable, fuzz_every_answer_is_pure_and_keeps_its_promises) {
  std::mt19937_64 random(20260102);
  auto const below = [&](int limit) { return static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(limit)); };
  int granted = 0;
  int refused = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    Facts facts = machine(std::int64_t{4} << below(34), 1 + below(33));
    facts.max_blocks = 1 + below(40);
    if (below(3) == 0) facts.algorithms.refuse(static_cast<Algorithm>(1 + below(3)), "refused");
    if (below(3) == 0) facts.transports.refuse(static_cast<Transport>(1 + below(2)), "refused");
    Tuning const tuning{.algorithm = static_cast<Algorithm>(below(4)),
                        .transport = static_cast<Transport>(below(3)),
                        .blocks = below(2) * below(50),
                        .block_threads = 32 * below(40),
                        .vector_bytes = (1 << below(6)) & ~1,
                        .vectors_in_flight = below(12)};
    bool const strict = below(2) == 0;
    Request request = strict ? required(Request{}, tuning) : preferred(Request{}, tuning);
    if (below(4) == 0) request = required(request, Deterministic{});
    TuningTable const table = below(2) == 0 ? TuningTable(measured) : TuningTable();

    SelectionAnswer const answer = all_reduce(request, facts, table);
    SelectionAnswer const again = all_reduce(request, facts, table);
    ASSERT_EQ(static_cast<bool>(answer), static_cast<bool>(again));
    ASSERT_EQ(*answer, *again) << trial;
    ASSERT_EQ(answer.reason(), again.reason()) << trial;
    ASSERT_EQ(answer.reason().empty(), static_cast<bool>(answer)) << trial;
    if (!answer) {
      ++refused;
      continue;
    }
    ++granted;
    ASSERT_TRUE(facts.algorithms.allows(answer->algorithm) && answer->algorithm != Algorithm::automatic) << trial;
    ASSERT_TRUE(facts.transports.allows(answer->transport) && answer->transport != Transport::automatic) << trial;
    ASSERT_FALSE(request.deterministic() && answer->transport == Transport::multimem) << trial;
    ASSERT_TRUE(answer->blocks >= 1 && answer->blocks <= facts.max_blocks) << trial;
    ASSERT_TRUE(answer->block_threads >= 32 && answer->block_threads <= 1024) << trial;
    ASSERT_TRUE(answer->vector_bytes >= 4 && answer->vector_bytes <= 16) << trial;
    bool const exact = (tuning.algorithm == Algorithm::automatic || tuning.algorithm == answer->algorithm) &&
                       (tuning.transport == Transport::automatic || tuning.transport == answer->transport) &&
                       (tuning.blocks == 0 || tuning.blocks == answer->blocks) &&
                       (tuning.block_threads == 0 || tuning.block_threads == answer->block_threads) &&
                       (tuning.vector_bytes == 0 || tuning.vector_bytes == answer->vector_bytes) &&
                       (tuning.vectors_in_flight == 0 || tuning.vectors_in_flight == answer->vectors_in_flight);
    ASSERT_EQ(exact, answer->preferences_dropped.empty()) << trial;
    ASSERT_TRUE(exact || !strict) << trial;
  }
  EXPECT_GT(granted, 1000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
