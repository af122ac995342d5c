// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Geometry.hpp>
#include <Koinon_Presets.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using namespace Koinon;

// More than any preset asks for: what is tested is the preset, not the limit.
constexpr std::int32_t plenty = 1 << 30;

constexpr Grid grid(Tuning const& preset, Work const& work, std::int32_t most_blocks = plenty) {
  return grid_of(preset, work, preset.block_threads, 8, most_blocks);
}

TEST(Presets, all_gather_and_columns_launch_4_blocks_of_1024_threads) {
  static_assert(Presets::all_gather.block_threads == 1024);
  static_assert(Presets::all_gather_columns == Presets::all_gather);
  for (std::int64_t const elements : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1} << 40}) {
    EXPECT_EQ(grid(Presets::all_gather, {.elements = elements}).blocks, 4);
  }
}

TEST(Presets, reduce_scatter_scales_from_4_to_32_blocks_of_1024_threads) {
  static_assert(Presets::reduce_scatter.block_threads == 1024);
  auto const blocks = [](std::int64_t elements) {
    return grid(Presets::reduce_scatter, {.elements = elements}).blocks;
  };
  std::int64_t const a_block = 1024 * 8;
  EXPECT_EQ(blocks(0), 4);
  EXPECT_EQ(blocks(1), 4);
  EXPECT_EQ(blocks(4 * a_block), 4);
  EXPECT_EQ(blocks(4 * a_block + 1), 8);
  EXPECT_EQ(blocks(8 * a_block), 8);
  EXPECT_EQ(blocks(8 * a_block + 1), 16);
  EXPECT_EQ(blocks(16 * a_block + 1), 32);
  EXPECT_EQ(blocks(32 * a_block + 1), 32);
  EXPECT_EQ(blocks(std::int64_t{1} << 40), 32);
}

TEST(Presets, peer_load_gives_1024_elements_to_a_block_of_4_warps) {
  static_assert(Presets::peer_load<>.block_threads == 128);
  static_assert(Presets::peer_load<64>.block_threads == 256);
  auto const blocks = [](std::int64_t elements) { return grid(Presets::peer_load<>, {.elements = elements}).blocks; };
  EXPECT_EQ(blocks(0), 1);
  EXPECT_EQ(blocks(1), 1);
  EXPECT_EQ(blocks(1024), 1);
  EXPECT_EQ(blocks(1025), 2);
  EXPECT_EQ(blocks(64 * 7168), 448);
  EXPECT_EQ(grid(Presets::peer_load<>, {.elements = 5}).tile_elements, 1024);
  EXPECT_EQ(grid(Presets::peer_load<>, {.elements = 64 * 7168}, 132).blocks, 132);
}

TEST(Presets, norm_gives_a_row_to_a_block_of_8_warps) {
  static_assert(Presets::norm<>.block_threads == 256);
  for (std::int64_t const rows : {1, 7, 64, 4096}) {
    Grid const norm = grid(Presets::norm<>, {.rows = rows, .row_elements = 7168});
    EXPECT_EQ(norm.blocks, rows);
    EXPECT_EQ(norm.tile_elements, 8192);
  }
  EXPECT_EQ(grid(Presets::norm<>, {.rows = 1, .row_elements = 2880}).tile_elements, 4096);
  EXPECT_EQ(grid(Presets::norm<>, {.rows = 1, .row_elements = 16384}).tile_elements, 16384);
  EXPECT_EQ(grid(Presets::norm<>, {.rows = 0, .row_elements = 7168}).blocks, 1);
  EXPECT_EQ(grid(Presets::norm<>, {.rows = 4096, .row_elements = 7168}, 132).blocks, 132);
}

TEST(Presets, shards_to_rows_gives_a_peer_s_tile_of_a_row_to_a_block_of_4_warps) {
  static_assert(Presets::shards_to_rows<>.block_threads == 128);
  // 8 ranks, 256 rows, 129280 columns: each peer's row has 16160 elements, which is 16 tiles.
  Grid const logits = grid(Presets::shards_to_rows<>, {.rows = 256, .row_elements = 129280 / 8, .pieces = 8});
  EXPECT_EQ(logits.tile_elements, 1024);
  EXPECT_EQ(logits.blocks, 8 * 256 * 16);
  Grid const narrow = grid(Presets::shards_to_rows<>, {.rows = 3, .row_elements = 100, .pieces = 2});
  EXPECT_EQ(narrow.tile_elements, 128);
  EXPECT_EQ(narrow.blocks, 6);
  EXPECT_EQ(grid(Presets::shards_to_rows<>, {.rows = 0, .row_elements = 100, .pieces = 2}).blocks, 1);
}

TEST(Presets, all_gather_multiple_gives_a_peer_s_row_to_a_block_of_1_warp) {
  static_assert(Presets::all_gather_multiple<>.block_threads == 32);
  Grid const wide = grid(Presets::all_gather_multiple<>, {.rows = 64, .row_elements = 5000, .pieces = 4});
  EXPECT_EQ(wide.tile_elements, 1024);
  EXPECT_EQ(wide.blocks, 4 * 64);
  Grid const narrow = grid(Presets::all_gather_multiple<>, {.rows = 64, .row_elements = 5, .pieces = 4});
  EXPECT_EQ(narrow.tile_elements, 8);
  EXPECT_EQ(narrow.blocks, 4 * 64);
  EXPECT_EQ(grid(Presets::all_gather_multiple<>, {.rows = 1, .row_elements = 0}).tile_elements, 1);
  EXPECT_EQ(grid(Presets::all_gather_multiple<>, {.rows = 0, .row_elements = 5, .pieces = 4}).blocks, 1);
}

TEST(Presets, barrier_launches_1_block_of_1_warp) {
  static_assert(Presets::barrier<>.block_threads == 32);
  static_assert(Presets::barrier<64>.block_threads == 64);
  EXPECT_EQ(grid(Presets::barrier<>, {}).blocks, 1);
}

TEST(Presets, none_launches_zero_blocks_or_more_than_agreed) {
  for (Tuning const& preset :
       {Presets::all_gather, Presets::all_gather_columns, Presets::reduce_scatter, Presets::peer_load<>,
        Presets::norm<>, Presets::shards_to_rows<>, Presets::all_gather_multiple<>, Presets::barrier<>}) {
    EXPECT_EQ(fault_of(preset), nullptr);
    for (std::int64_t const rows : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1} << 35}) {
      for (std::int64_t const width : {0, 1, 7168}) {
        for (std::int32_t const most : {1, 3, 132}) {
          Grid const launched = grid(preset, {.rows = rows, .row_elements = width, .pieces = 8}, most);
          EXPECT_GE(launched.blocks, 1);
          EXPECT_LE(launched.blocks, most);
        }
      }
    }
  }
}

}  // namespace
