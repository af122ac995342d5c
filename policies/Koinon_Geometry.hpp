// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Tuning.hpp>

#include <cstdint>
#include <limits>

namespace Koinon {

/// Says how much there is to do on the busiest rank, in values that every rank knows.
struct Work {
  std::int64_t elements = 0;      ///< of the flat data
  std::int64_t rows = 0;          ///< 0 where the operation has no rows
  std::int64_t row_elements = 0;  ///< of one row
  std::int64_t pieces = 1;        ///< independent blocks of rows: ranks where each peer's rows are apart

  friend constexpr bool operator==(Work const&, Work const&) = default;
};

/// Says how a launch is cut: blocks walk over the tiles.
struct Grid {
  std::int32_t blocks = 1;         ///< never 0, never above the limit given
  std::int64_t wanted_blocks = 1;  ///< what was asked for before the limit
  std::int64_t tiles = 0;          ///< one row counts as one tile under one_row_a_block
  std::int64_t tile_elements = 1;  ///< never 0
  bool asks_for_blocks = false;    ///< a stated number: more than the limit is a refusal; tiles are not blocks

  friend constexpr bool operator==(Grid const&, Grid const&) = default;
};

/// Gives the smallest power of two that is not below value; 1 for 0, 2^62 above that.
constexpr std::int64_t next_power_of_two(std::int64_t value) {
  std::int64_t power = 1;
  while (power < value && power < (std::int64_t{1} << 62)) power *= 2;
  return power;
}

/// @pre value >= 0, divisor >= 1
constexpr std::int64_t divide_up(std::int64_t value, std::int64_t divisor) {
  return value / divisor + (value % divisor != 0 ? 1 : 0);
}

namespace Impl {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

/// Multiplies without overflow: what does not fit is the largest number.
/// @pre left >= 0, right >= 0
constexpr std::int64_t saturated_product(std::int64_t left, std::int64_t right) {
  if (left == 0 || right == 0) return 0;
  return left > largest / right ? largest : left * right;
}

constexpr std::int64_t at_least_one(std::int64_t value) {
  return value < 1 ? 1 : value;
}

constexpr std::int64_t within(std::int64_t value, std::int64_t low, std::int64_t high) {
  return value < low ? low : (value > high ? high : value);
}

/// ScaledBlocks without a stated tile gives each thread 8 elements: one 16-byte vector of 2-byte elements, as in the
/// seed system whose preset this must reproduce.
constexpr std::int64_t scaled_elements_a_thread = 8;

constexpr std::int64_t elements_of(Work const& work) {
  if (work.elements != 0) return work.elements;
  return saturated_product(saturated_product(work.pieces, work.rows), work.row_elements);
}

/// Gives the stated tile, cut to the row where tiles end with their row.
constexpr std::int64_t row_tile(Tuning const& asked, Work const& work) {
  std::int64_t const row = next_power_of_two(work.row_elements);
  return asked.row_tile_elements == 0 || row < asked.row_tile_elements ? row : asked.row_tile_elements;
}

constexpr std::int64_t row_tiles(Work const& work, std::int64_t tile_elements) {
  std::int64_t const rows = saturated_product(work.pieces, work.rows);
  return saturated_product(rows, divide_up(work.row_elements, tile_elements));
}

}  // namespace Impl

/// Computes the grid of a launch. Pure: equal arguments give equal grids, so every rank launches the same.
/// @param asked            geometry and tile; automatic means one tile a block
/// @param thread_elements  elements that one thread has in flight: the tile is block_threads times that where none is
/// stated
/// @param most_blocks      what all ranks agreed can be resident
/// @pre  fault_of(asked) is null, block_threads >= 1, thread_elements >= 1, no field of work is negative
/// @post 1 <= blocks <= max(1, most_blocks), blocks == min(wanted_blocks, most_blocks), tile_elements >= 1
constexpr Grid grid_of(Tuning const& asked, Work const& work, std::int64_t block_threads, std::int64_t thread_elements,
                       std::int32_t most_blocks) {
  using namespace Impl;
  Grid grid;
  Geometry const geometry = geometry_of(asked);
  std::int64_t const elements = elements_of(work);

  bool const by_rows = asked.row_tile_elements != 0 || geometry == Geometry::one_row_a_block;
  grid.tile_elements = by_rows                   ? row_tile(asked, work)
                       : asked.tile_elements > 0 ? asked.tile_elements
                                                 : saturated_product(block_threads, thread_elements);
  grid.tiles = by_rows ? row_tiles(work, grid.tile_elements) : divide_up(elements, grid.tile_elements);

  switch (geometry) {
    case Geometry::fixed_blocks:
      grid.wanted_blocks = asked.blocks;
      grid.asks_for_blocks = true;
      break;
    case Geometry::scaled_blocks: {
      std::int64_t const a_block =
          asked.tile_elements > 0 ? asked.tile_elements : saturated_product(block_threads, scaled_elements_a_thread);
      std::int64_t const most = asked.max_blocks > 0 ? asked.max_blocks : at_least_one(most_blocks);
      grid.wanted_blocks = within(next_power_of_two(divide_up(elements, a_block)), asked.min_blocks, most);
      grid.asks_for_blocks = true;
      break;
    }
    case Geometry::one_row_a_block:
      grid.tiles = saturated_product(work.pieces, work.rows);
      grid.wanted_blocks = grid.tiles;
      break;
    case Geometry::automatic:
    case Geometry::one_tile_a_block:
    case Geometry::row_tiles:
      grid.wanted_blocks = grid.tiles;
      break;
  }

  if (asked.max_blocks > 0 && grid.wanted_blocks > asked.max_blocks) grid.wanted_blocks = asked.max_blocks;
  grid.wanted_blocks = at_least_one(grid.wanted_blocks);
  grid.blocks = static_cast<std::int32_t>(within(grid.wanted_blocks, 1, at_least_one(most_blocks)));
  return grid;
}

}  // namespace Koinon
