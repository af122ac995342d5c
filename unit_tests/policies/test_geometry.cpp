// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Geometry.hpp>
#include <Koinon_Request.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>

namespace {

using namespace Koinon;

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

template <class... Traits>
constexpr Grid grid(Work const& work, std::int32_t most_blocks = 1000) {
  return grid_of(tuning_of<Traits...>(), work, 128, 4, most_blocks);
}

TEST(Geometry, next_power_of_two_is_not_below_its_argument) {
  static_assert(next_power_of_two(0) == 1 && next_power_of_two(1) == 1 && next_power_of_two(2) == 2);
  static_assert(next_power_of_two(3) == 4 && next_power_of_two(1025) == 2048);
  static_assert(next_power_of_two((std::int64_t{1} << 40) + 1) == std::int64_t{1} << 41);
  static_assert(next_power_of_two(largest) == std::int64_t{1} << 62);
}

TEST(Geometry, divide_up_does_not_overflow) {
  static_assert(divide_up(0, 4) == 0 && divide_up(1, 4) == 1 && divide_up(4, 4) == 1 && divide_up(5, 4) == 2);
  static_assert(divide_up(largest, 2) == largest / 2 + 1 && divide_up(largest, largest) == 1);
}

TEST(Geometry, fixed_blocks_do_not_depend_on_the_work) {
  for (std::int64_t const elements : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1} << 40}) {
    Grid const fixed = grid<FixedBlocks<6>>({.elements = elements});
    EXPECT_EQ(fixed.blocks, 6);
    EXPECT_EQ(fixed.wanted_blocks, 6);
    EXPECT_TRUE(fixed.asks_for_blocks);
  }
}

TEST(Geometry, fixed_blocks_above_the_agreed_number_show_both_numbers) {
  Grid const fixed = grid<FixedBlocks<64>>({.elements = 1}, 16);
  EXPECT_EQ(fixed.wanted_blocks, 64);
  EXPECT_EQ(fixed.blocks, 16);
}

TEST(Geometry, scaled_blocks_double_with_the_work_between_their_ends) {
  auto const blocks = [](std::int64_t elements) { return grid<ScaledBlocks<4, 32>>({.elements = elements}).blocks; };
  std::int64_t const a_block = 128 * 8;
  EXPECT_EQ(blocks(0), 4);
  EXPECT_EQ(blocks(4 * a_block), 4);
  EXPECT_EQ(blocks(4 * a_block + 1), 8);
  EXPECT_EQ(blocks(9 * a_block), 16);
  EXPECT_EQ(blocks(17 * a_block), 32);
  EXPECT_EQ(blocks(largest), 32);
}

TEST(Geometry, scaled_blocks_take_a_stated_tile) {
  Tuning const asked{.geometry = Geometry::scaled_blocks, .min_blocks = 1, .max_blocks = 64, .tile_elements = 100};
  EXPECT_EQ(grid_of(asked, {.elements = 300}, 128, 4, 64).blocks, 4);
}

TEST(Geometry, tiles_are_not_blocks) {
  Grid const tiled = grid<OneTileABlock<1024>>({.elements = 100 * 1024 + 1}, 16);
  EXPECT_EQ(tiled.tiles, 101);
  EXPECT_EQ(tiled.wanted_blocks, 101);
  EXPECT_EQ(tiled.blocks, 16);
  EXPECT_FALSE(tiled.asks_for_blocks);
}

TEST(Geometry, one_row_a_block_holds_the_whole_row) {
  Grid const rows = grid<OneRowABlock>({.rows = 7, .row_elements = 2880});
  EXPECT_EQ(rows.blocks, 7);
  EXPECT_EQ(rows.tile_elements, 4096);
  EXPECT_EQ(rows.tiles, 7);
}

TEST(Geometry, one_row_a_block_walks_the_row_in_stated_tiles) {
  Grid const rows = grid<OneRowABlock, RowTiles<1024>>({.rows = 7, .row_elements = 2880, .pieces = 3});
  EXPECT_EQ(rows.blocks, 21);
  EXPECT_EQ(rows.tile_elements, 1024);
}

TEST(Geometry, row_tiles_end_with_their_row) {
  Grid const tiles = grid<RowTiles<1024>>({.rows = 5, .row_elements = 2880, .pieces = 2});
  EXPECT_EQ(tiles.tile_elements, 1024);
  EXPECT_EQ(tiles.tiles, 2 * 5 * 3);
  EXPECT_EQ(tiles.blocks, 30);
  EXPECT_EQ(grid<RowTiles<1024>>({.rows = 5, .row_elements = 33}).tile_elements, 64);
  EXPECT_EQ((grid<RowTiles<1024>, FixedBlocks<4>>({.rows = 5, .row_elements = 2880}).tiles), 15);
  EXPECT_EQ((grid<RowTiles<1024>, FixedBlocks<4>>({.rows = 5, .row_elements = 2880}).blocks), 4);
}

TEST(Geometry, automatic_gives_a_block_what_its_threads_have_in_flight) {
  Grid const automatic = grid<>({.elements = 128 * 4 * 3 + 1});
  EXPECT_EQ(automatic.tile_elements, 128 * 4);
  EXPECT_EQ(automatic.blocks, 4);
  EXPECT_EQ(grid<>({.rows = 3, .row_elements = 512}).blocks, 3) << "rows alone say how many elements there are";
}

TEST(Geometry, max_blocks_limits_every_geometry) {
  EXPECT_EQ(grid_of(Tuning{.blocks = 8, .max_blocks = 3}, {}, 1, 1, 100).wanted_blocks, 3);
  EXPECT_EQ(grid_of(Tuning{.max_blocks = 3}, {.elements = 1000}, 1, 1, 100).blocks, 3);
  Tuning const rows{.geometry = Geometry::one_row_a_block, .max_blocks = 2};
  EXPECT_EQ(grid_of(rows, {.rows = 9, .row_elements = 8}, 1, 1, 100).blocks, 2);
}

TEST(Geometry, more_than_2_to_the_31_elements_are_counted_right) {
  std::int64_t const elements = (std::int64_t{1} << 33) + 1;
  Grid const tiled = grid<OneTileABlock<1024>>({.elements = elements}, 64);
  EXPECT_EQ(tiled.tiles, (std::int64_t{1} << 23) + 1);
  EXPECT_EQ(tiled.blocks, 64);
  Grid const rows = grid<RowTiles<1>>({.rows = std::int64_t{1} << 32, .row_elements = 2}, 64);
  EXPECT_EQ(rows.tiles, std::int64_t{1} << 33);
}

TEST(Geometry, what_does_not_fit_64_bits_saturates) {
  Grid const rows = grid<RowTiles<1>>({.rows = largest, .row_elements = largest, .pieces = largest}, 64);
  EXPECT_EQ(rows.tiles, largest);
  EXPECT_EQ(rows.blocks, 64);
}

Tuning random_tuning(std::mt19937_64& random) {
  auto const below = [&](std::int32_t limit) {
    return static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(limit));
  };
  Tuning tuning;
  tuning.geometry = static_cast<Geometry>(random() % enumerator_count<Geometry>);
  tuning.blocks = tuning.geometry == Geometry::fixed_blocks ? 1 + below(100) : 0;
  if (tuning.geometry == Geometry::scaled_blocks) tuning.min_blocks = below(40);
  if (below(2) == 0) tuning.max_blocks = tuning.min_blocks + below(40);
  if (below(2) == 0) tuning.tile_elements = below(5000);
  if (below(2) == 0) tuning.row_tile_elements = 1 << below(12);
  return tuning;
}

std::int64_t random_extent(std::mt19937_64& random) {
  std::uint64_t const bits = random();
  return static_cast<std::int64_t>(bits >> (1 + random() % 63));
}

TEST(Geometry, fuzz_any_grid_is_pure_bounded_and_grows_with_the_work) {
  std::mt19937_64 random(20260101);
  for (int trial = 0; trial < 200000; ++trial) {
    Tuning const asked = random_tuning(random);
    if (fault_of(asked) != nullptr) continue;
    bool const flat = random() % 3 != 0;
    Work const work{.elements = flat ? random_extent(random) : 0,
                    .rows = random_extent(random),
                    .row_elements = random_extent(random),
                    .pieces = static_cast<std::int64_t>(1 + random() % 33)};
    std::int64_t const threads = std::int64_t{1} << (random() % 11);
    std::int64_t const in_flight = static_cast<std::int64_t>(1 + random() % 64);
    auto const most_blocks = static_cast<std::int32_t>(1 + random() % 200);

    Grid const grid = grid_of(asked, work, threads, in_flight, most_blocks);
    ASSERT_EQ(grid, grid_of(asked, work, threads, in_flight, most_blocks)) << trial;
    ASSERT_GE(grid.blocks, 1) << trial;
    ASSERT_LE(grid.blocks, most_blocks) << trial;
    ASSERT_EQ(grid.blocks, grid.wanted_blocks < most_blocks ? grid.wanted_blocks : most_blocks) << trial;
    ASSERT_GE(grid.tile_elements, 1) << trial;
    ASSERT_GE(grid.tiles, 0) << trial;
    ASSERT_TRUE(asked.max_blocks == 0 || grid.wanted_blocks <= asked.max_blocks) << trial;
    if (geometry_of(asked) != Geometry::fixed_blocks && geometry_of(asked) != Geometry::scaled_blocks) {
      ASSERT_LE(grid.wanted_blocks, grid.tiles > 0 ? grid.tiles : 1) << "a block without a tile, trial " << trial;
      ASSERT_FALSE(grid.asks_for_blocks) << trial;
    }

    Work more = work;
    more.elements = work.elements == 0 ? 0 : work.elements + (largest - work.elements) / 3;
    more.rows = work.rows + (largest - work.rows) / 3;
    Grid const larger = grid_of(asked, more, threads, in_flight, most_blocks);
    ASSERT_GE(larger.blocks, grid.blocks) << trial;
    ASSERT_GE(larger.tiles, grid.tiles) << trial;
    Grid const wider = grid_of(asked, work, threads, in_flight, most_blocks + 7);
    ASSERT_GE(wider.blocks, grid.blocks) << trial;
  }
}

}  // namespace
