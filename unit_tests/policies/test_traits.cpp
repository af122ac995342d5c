// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Request.hpp>
#include <Koinon_Traits.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace Koinon;

template <class Enum>
void expect_names_round_trip() {
  for (std::size_t index = 0; index < enumerator_count<Enum>; ++index) {
    auto const value = static_cast<Enum>(index);
    ASSERT_EQ(from_string<Enum>(to_string(value)), value) << to_string(value);
  }
  EXPECT_FALSE(from_string<Enum>("no such name").has_value());
  EXPECT_FALSE(from_string<Enum>("").has_value());
  EXPECT_EQ(to_string(static_cast<Enum>(enumerator_count<Enum>)), "unknown");
}

TEST(Traits, every_enumerator_has_a_name_that_reads_back) {
  expect_names_round_trip<Operation>();
  expect_names_round_trip<Algorithm>();
  expect_names_round_trip<Transport>();
  expect_names_round_trip<Geometry>();
  expect_names_round_trip<Entry>();
  expect_names_round_trip<Switch>();
  expect_names_round_trip<Category>();
  expect_names_round_trip<Capability>();
}

TEST(Traits, names_stand_at_the_place_of_their_enumerator) {
  EXPECT_EQ(to_string(Operation::all_reduce), "all_reduce");
  EXPECT_EQ(to_string(Operation::all_gather_columns), "all_gather_columns");
  EXPECT_EQ(to_string(Operation::rows_to_shards), "rows_to_shards");
  EXPECT_EQ(to_string(Operation::all_reduce_multiple), "all_reduce_multiple");
  EXPECT_EQ(to_string(Operation::barrier), "barrier");
  EXPECT_EQ(to_string(Algorithm::automatic), "auto");
  EXPECT_EQ(to_string(Algorithm::low_latency), "low_latency");
  EXPECT_EQ(to_string(Transport::multimem), "multimem");
  EXPECT_EQ(to_string(Geometry::one_tile_a_block), "one_tile_a_block");
  EXPECT_EQ(to_string(Geometry::row_tiles), "row_tiles");
  EXPECT_EQ(to_string(Entry::skip), "skip");
  EXPECT_EQ(to_string(Switch::on), "on");
  EXPECT_EQ(to_string(Category::determinism), "determinism");
  EXPECT_EQ(to_string(Capability::dependent_launch), "dependent_launch");
  static_assert(from_string<Algorithm>("two_shot") == Algorithm::two_shot);
}

TEST(Traits, every_trait_states_its_run_time_twin) {
  static_assert(Auto::tuning == Tuning{});
  static_assert(OneShot::tuning == Tuning{.algorithm = Algorithm::one_shot});
  static_assert(TwoShot::tuning == Tuning{.algorithm = Algorithm::two_shot});
  static_assert(LowLatency::tuning == Tuning{.algorithm = Algorithm::low_latency});
  static_assert(AutoTransport::tuning == Tuning{});
  static_assert(PeerLoad::tuning == Tuning{.transport = Transport::peer_load});
  static_assert(Multimem::tuning == Tuning{.transport = Transport::multimem});
  static_assert(AutoBlocks::tuning == Tuning{});
  static_assert(FixedBlocks<8>::tuning == Tuning{.geometry = Geometry::fixed_blocks, .blocks = 8});
  static_assert(ScaledBlocks<4, 32>::tuning ==
                Tuning{.geometry = Geometry::scaled_blocks, .min_blocks = 4, .max_blocks = 32});
  static_assert(OneTileABlock<1000>::tuning == Tuning{.geometry = Geometry::one_tile_a_block, .tile_elements = 1000});
  static_assert(OneRowABlock::tuning == Tuning{.geometry = Geometry::one_row_a_block});
  static_assert(RowTiles<1024>::tuning == Tuning{.row_tile_elements = 1024});
  static_assert(BlockThreads<512>::tuning == Tuning{.block_threads = 512});
  static_assert(VectorBytes<16>::tuning == Tuning{.vector_bytes = 16});
  static_assert(VectorsInFlight<4>::tuning == Tuning{.vectors_in_flight = 4});
  static_assert(EntryBarrier::tuning == Tuning{.entry_barrier = Entry::barrier});
  static_assert(SkipEntryBarrier::tuning == Tuning{.entry_barrier = Entry::skip});
  static_assert(DependentLaunch::tuning == Tuning{.dependent_launch = Switch::on});
  static_assert(EarlyTrigger::tuning == Tuning{.early_trigger = Switch::on});
  static_assert(Deterministic::tuning == Tuning{});
}

template <class Trait>
void expect_twin_states_declared_categories(std::string const& name, bool states_something) {
  EXPECT_FALSE(Trait::categories.empty()) << name;
  EXPECT_EQ(stated_categories(Trait::tuning), states_something ? Trait::categories : CategorySet{}) << name;
}

TEST(Traits, every_trait_declares_exactly_the_categories_that_its_twin_states) {
  expect_twin_states_declared_categories<Auto>("Auto", false);
  expect_twin_states_declared_categories<OneShot>("OneShot", true);
  expect_twin_states_declared_categories<TwoShot>("TwoShot", true);
  expect_twin_states_declared_categories<LowLatency>("LowLatency", true);
  expect_twin_states_declared_categories<AutoTransport>("AutoTransport", false);
  expect_twin_states_declared_categories<PeerLoad>("PeerLoad", true);
  expect_twin_states_declared_categories<Multimem>("Multimem", true);
  expect_twin_states_declared_categories<AutoBlocks>("AutoBlocks", false);
  expect_twin_states_declared_categories<FixedBlocks<1>>("FixedBlocks", true);
  expect_twin_states_declared_categories<ScaledBlocks<1, 1>>("ScaledBlocks", true);
  expect_twin_states_declared_categories<OneTileABlock<1>>("OneTileABlock", true);
  expect_twin_states_declared_categories<OneRowABlock>("OneRowABlock", true);
  expect_twin_states_declared_categories<RowTiles<1>>("RowTiles", true);
  expect_twin_states_declared_categories<BlockThreads<1>>("BlockThreads", true);
  expect_twin_states_declared_categories<VectorBytes<1>>("VectorBytes", true);
  expect_twin_states_declared_categories<VectorsInFlight<1>>("VectorsInFlight", true);
  expect_twin_states_declared_categories<EntryBarrier>("EntryBarrier", true);
  expect_twin_states_declared_categories<SkipEntryBarrier>("SkipEntryBarrier", true);
  expect_twin_states_declared_categories<DependentLaunch>("DependentLaunch", true);
  expect_twin_states_declared_categories<EarlyTrigger>("EarlyTrigger", true);
  expect_twin_states_declared_categories<Deterministic>("Deterministic", false);
}

TEST(Traits, traits_are_values_equal_only_to_themselves) {
  static_assert(OneShot{} == OneShot{});
  static_assert(OneShot{} != TwoShot{});
  static_assert(Auto{} != AutoTransport{});
  static_assert(FixedBlocks<4>{} == FixedBlocks<4>{} && FixedBlocks<4>{} != FixedBlocks<5>{});
  static_assert(AllGather{} == AllGather{} && AllGather{} != AllReduce{});
  static_assert(is_trait_v<Deterministic> && !is_trait_v<int> && !is_trait_v<AllReduce>);
}

TEST(Traits, operation_tags_name_their_operation) {
  static_assert(AllReduce::operation == Operation::all_reduce);
  static_assert(ReduceScatter::operation == Operation::reduce_scatter);
  static_assert(AllGather::operation == Operation::all_gather);
  static_assert(AllGatherColumns::operation == Operation::all_gather_columns);
  static_assert(AllToAll::operation == Operation::all_to_all);
  static_assert(ShardsToRows::operation == Operation::shards_to_rows);
  static_assert(RowsToShards::operation == Operation::rows_to_shards);
  static_assert(AllGatherMultiple::operation == Operation::all_gather_multiple);
  static_assert(AllReduceMultiple::operation == Operation::all_reduce_multiple);
  static_assert(Broadcast::operation == Operation::broadcast);
  static_assert(Reduce::operation == Operation::reduce);
  static_assert(Barrier::operation == Operation::barrier);
  static_assert(OperationType<Barrier> && !OperationType<OneShot>);
}

TEST(EnumSet, behaves_as_a_set) {
  constexpr CategorySet both{Category::algorithm, Category::determinism};
  static_assert(both.size() == 2 && both.contains(Category::determinism) && !both.contains(Category::tile));
  static_assert(both.contains_all(Category::algorithm) && !CategorySet(Category::algorithm).contains_all(both));
  static_assert(both.intersects(Category::algorithm) && !both.intersects(Category::tile));
  static_assert(CategorySet().empty() && both.contains_all(CategorySet()));
  static_assert((CategorySet(Category::algorithm) | Category::determinism) == both);
  CategorySet changed = both;
  changed.erase(Category::algorithm);
  EXPECT_EQ(changed, CategorySet(Category::determinism));
}

TEST(Tuning, is_an_aggregate_that_states_what_it_names) {
  constexpr Tuning chosen{.algorithm = Algorithm::two_shot, .blocks = 8};
  static_assert(stated_categories(chosen) == CategorySet(Category::algorithm, Category::geometry));
  static_assert(geometry_of(chosen) == Geometry::fixed_blocks);
  static_assert(geometry_of(Tuning{.min_blocks = 2}) == Geometry::scaled_blocks);
  static_assert(geometry_of(Tuning{.row_tile_elements = 64}) == Geometry::row_tiles);
  static_assert(geometry_of(Tuning{.max_blocks = 2}) == Geometry::automatic);
  static_assert(stated_categories(Tuning{}).empty());
}

TEST(Tuning, names_its_first_impossible_field) {
  static_assert(fault_of(Tuning{}) == nullptr);
  EXPECT_STREQ(fault_of(Tuning{.blocks = -1}), "blocks is negative");
  EXPECT_STREQ(fault_of(Tuning{.min_blocks = -1}), "min_blocks is negative");
  EXPECT_STREQ(fault_of(Tuning{.max_blocks = -1}), "max_blocks is negative");
  EXPECT_STREQ(fault_of(Tuning{.min_blocks = 5, .max_blocks = 4}), "min_blocks exceeds max_blocks");
  EXPECT_STREQ(fault_of(Tuning{.geometry = Geometry::fixed_blocks}), "fixed_blocks is asked without blocks");
  EXPECT_STREQ(fault_of(Tuning{.tile_elements = -1}), "tile_elements is negative");
  EXPECT_STREQ(fault_of(Tuning{.row_tile_elements = -1}), "row_tile_elements is negative");
  EXPECT_STREQ(fault_of(Tuning{.block_threads = -1}), "block_threads is negative");
  EXPECT_STREQ(fault_of(Tuning{.vector_bytes = -1}), "vector_bytes is negative");
  EXPECT_STREQ(fault_of(Tuning{.vectors_in_flight = -1}), "vectors_in_flight is negative");
}

}  // namespace
