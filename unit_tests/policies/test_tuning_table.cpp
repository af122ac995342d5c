// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_TuningFields.hpp>
#include <Koinon_TuningTable.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace {

using namespace Koinon;

constexpr Tuning blocks(std::int32_t count) {
  return Tuning{.blocks = count};
}

// Each entry is told by its number of blocks.
constexpr std::array<TuningEntry, 9> entries{{
    {.tuning = blocks(1)},
    {.backend = "shared", .tuning = blocks(2)},
    {.backend = "shared", .operation = Operation::all_reduce, .up_to_bytes = 1024, .tuning = blocks(3)},
    {.backend = "shared", .operation = Operation::all_reduce, .up_to_bytes = 65536, .tuning = blocks(4)},
    {.backend = "shared", .operation = Operation::all_reduce, .ranks = 4, .up_to_bytes = 4096, .tuning = blocks(5)},
    {.backend = "shared", .operation = Operation::all_reduce, .ranks = 4, .tuning = blocks(6)},
    {.backend = "shared", .operation = Operation::all_reduce, .element_bytes = 2, .ranks = 4, .tuning = blocks(7)},
    {.backend = "shared", .architecture = "new", .tuning = blocks(8)},
    {.backend = "shared", .capabilities = Capability::multimem, .tuning = blocks(9)},
}};

constexpr std::int32_t found(TuningQuery const& query) {
  TuningEntry const* entry = find_tuning(entries, query);
  return entry == nullptr ? 0 : entry->tuning.blocks;
}

TEST(TuningTable, is_looked_up_at_compile_time) {
  static_assert(found({.backend = "other"}) == 1);
  static_assert(found({.backend = "shared", .operation = Operation::reduce}) == 2);
}

TEST(TuningTable, the_most_specific_match_wins) {
  TuningQuery query{.backend = "shared",
                    .architecture = "old",
                    .operation = Operation::all_reduce,
                    .element_bytes = 4,
                    .ranks = 8,
                    .bytes = 100};
  EXPECT_EQ(found(query), 3);
  query.ranks = 4;
  EXPECT_EQ(found(query), 5);
  query.element_bytes = 2;
  EXPECT_EQ(found(query), 7);
  query.architecture = "new";
  EXPECT_EQ(found(query), 8) << "an architecture counts more than operation, ranks and element size";
}

TEST(TuningTable, capabilities_are_needed_and_count) {
  TuningQuery query{.backend = "shared", .operation = Operation::broadcast};
  EXPECT_EQ(found(query), 2);
  query.capabilities = {Capability::multimem, Capability::dependent_launch};
  EXPECT_EQ(found(query), 9);
  query.capabilities = Capability::dependent_launch;
  EXPECT_EQ(found(query), 2);
}

TEST(TuningTable, edges_belong_to_the_range_below_and_leave_no_gap) {
  auto const at = [](std::int64_t bytes) {
    return found({.backend = "shared", .operation = Operation::all_reduce, .ranks = 2, .bytes = bytes});
  };
  EXPECT_EQ(at(0), 3);
  EXPECT_EQ(at(1024), 3);
  EXPECT_EQ(at(1025), 4);
  EXPECT_EQ(at(65536), 4);
  EXPECT_EQ(at(65537), 4) << "the largest edge covers what is above";
  EXPECT_EQ(at(any_bytes), 4);
  auto const of_four = [](std::int64_t bytes) {
    return found({.backend = "shared", .operation = Operation::all_reduce, .ranks = 4, .bytes = bytes});
  };
  EXPECT_EQ(of_four(4096), 5);
  EXPECT_EQ(of_four(4097), 6);
}

TEST(TuningTable, the_order_of_entries_does_not_matter_unless_keys_are_equal) {
  std::vector<TuningEntry> reversed(entries.rbegin(), entries.rend());
  for (std::int32_t const ranks : {2, 4}) {
    for (std::int64_t const bytes : {0, 1024, 1025, 70000}) {
      for (Operation const operation : {Operation::all_reduce, Operation::barrier}) {
        TuningQuery const query{.backend = "shared", .operation = operation, .ranks = ranks, .bytes = bytes};
        EXPECT_EQ(find_tuning(reversed, query)->tuning, find_tuning(entries, query)->tuning);
      }
    }
  }
  std::array<TuningEntry, 2> const equal{{{.tuning = blocks(1)}, {.tuning = blocks(2)}}};
  EXPECT_EQ(find_tuning(equal, {})->tuning.blocks, 1);
}

TEST(TuningTable, an_asked_algorithm_or_transport_admits_only_what_was_measured_with_it) {
  std::array<TuningEntry, 3> const measured{{
      {.up_to_bytes = 100, .tuning = {.algorithm = Algorithm::one_shot, .blocks = 1}},
      {.tuning = {.algorithm = Algorithm::two_shot, .transport = Transport::multimem, .blocks = 2}},
      {.tuning = {.algorithm = Algorithm::two_shot, .transport = Transport::peer_load, .blocks = 3}},
  }};
  EXPECT_EQ(find_tuning(measured, {.bytes = 10})->tuning.blocks, 1);
  EXPECT_EQ(find_tuning(measured, {.bytes = 10, .algorithm = Algorithm::two_shot})->tuning.blocks, 2);
  EXPECT_EQ(find_tuning(measured, {.bytes = 1000, .transport = Transport::peer_load})->tuning.blocks, 3);
  EXPECT_EQ(find_tuning(measured, {.bytes = 1000, .algorithm = Algorithm::one_shot})->tuning.blocks, 1);
  EXPECT_EQ(find_tuning(measured, {.bytes = 10, .algorithm = Algorithm::low_latency}), nullptr);
}

TEST(TuningTable, a_matching_entry_of_the_user_wins_over_built_in_ones) {
  TuningTable const table(entries, {{.operation = Operation::all_reduce, .tuning = blocks(50)}});
  TuningQuery query{.backend = "shared", .operation = Operation::all_reduce, .ranks = 4, .bytes = 1};
  EXPECT_EQ(table.find(query)->tuning.blocks, 50);
  query.operation = Operation::reduce;
  EXPECT_EQ(table.find(query)->tuning.blocks, 2);
  EXPECT_EQ(table.user().size(), 1U);
  EXPECT_EQ(table.built_in().size(), entries.size());
}

TEST(TuningTable, an_empty_table_knows_nothing) {
  EXPECT_EQ(TuningTable().find({}), nullptr);
}

TEST(ShortName, holds_up_to_its_capacity_and_refuses_more) {
  std::string const longest(ShortName::capacity, 'x');
  EXPECT_EQ(ShortName(std::string_view(longest)).view(), longest);
  EXPECT_THROW(ShortName(std::string_view(longest + "y")), std::out_of_range);
  EXPECT_EQ(ShortName("a"), ShortName(std::string_view("a")));
  EXPECT_NE(ShortName("a"), ShortName("b"));
  EXPECT_TRUE(ShortName().empty());
}

TEST(TuningFields, an_entry_written_field_by_field_reads_back_equal) {
  TuningEntry const entry{.backend = "shared",
                          .architecture = "new",
                          .capabilities = {Capability::multimem, Capability::dependent_launch},
                          .operation = Operation::all_gather_columns,
                          .element_bytes = 2,
                          .ranks = 8,
                          .up_to_bytes = std::int64_t{1} << 40,
                          .tuning = {.algorithm = Algorithm::two_shot,
                                     .transport = Transport::multimem,
                                     .geometry = Geometry::row_tiles,
                                     .blocks = 1,
                                     .min_blocks = 2,
                                     .max_blocks = 3,
                                     .tile_elements = 4,
                                     .row_tile_elements = 5,
                                     .block_threads = 6,
                                     .vector_bytes = 7,
                                     .vectors_in_flight = 8,
                                     .entry_barrier = Entry::skip,
                                     .dependent_launch = Switch::on,
                                     .early_trigger = Switch::off}};
  for (TuningEntry const& original : {entry, TuningEntry{}}) {
    TuningEntry read = original == entry ? TuningEntry{} : entry;
    int fields = 0;
    for_each_field(original, [&](std::string_view name, auto const& field) {
      ++fields;
      EXPECT_EQ(set_field(read, name, field_text(field)), FieldAnswer::done) << name;
    });
    EXPECT_EQ(fields, 21);
    EXPECT_EQ(read, original);
  }
}

TEST(TuningFields, text_says_what_a_field_holds) {
  EXPECT_EQ(field_text(Algorithm::low_latency), "low_latency");
  EXPECT_EQ(field_text(std::int32_t{12}), "12");
  EXPECT_EQ(field_text(any_bytes), "any");
  EXPECT_EQ(field_text(std::optional<Operation>()), "any");
  EXPECT_EQ(field_text(CapabilitySet{Capability::multimem, Capability::dependent_launch}), "multimem+dependent_launch");
  EXPECT_EQ(field_text(ShortName("x")), "x");
}

TEST(TuningFields, wrong_names_and_values_change_nothing) {
  TuningEntry const before{.backend = "shared", .operation = Operation::reduce, .tuning = blocks(3)};
  TuningEntry entry = before;
  EXPECT_EQ(set_field(entry, "block", "3"), FieldAnswer::no_such_field);
  EXPECT_EQ(set_field(entry, "blocks", "3x"), FieldAnswer::no_such_value);
  EXPECT_EQ(set_field(entry, "blocks", ""), FieldAnswer::no_such_value);
  EXPECT_EQ(set_field(entry, "blocks", "-1"), FieldAnswer::no_such_value);
  EXPECT_EQ(set_field(entry, "blocks", "99999999999"), FieldAnswer::no_such_value);
  EXPECT_EQ(set_field(entry, "blocks", "any"), FieldAnswer::no_such_value);
  EXPECT_EQ(set_field(entry, "operation", "all_reduced"), FieldAnswer::no_such_value);
  EXPECT_EQ(set_field(entry, "capabilities", "multimem+magic"), FieldAnswer::no_such_value);
  EXPECT_EQ(set_field(entry, "algorithm", "OneShot"), FieldAnswer::no_such_value);
  EXPECT_EQ(set_field(entry, "backend", std::string(40, 'x')), FieldAnswer::no_such_value);
  EXPECT_EQ(entry, before);
  Tuning tuning;
  EXPECT_EQ(set_field(tuning, "backend", "shared"), FieldAnswer::no_such_field);
  EXPECT_EQ(set_field(tuning, "algorithm", "one_shot"), FieldAnswer::done);
  EXPECT_EQ(tuning.algorithm, Algorithm::one_shot);
}

}  // namespace
