// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_EnumSet.hpp>
#include <Koinon_Enumerations.hpp>

#include <cstdint>

namespace Koinon {

using CategorySet = EnumSet<Category>;

/// States traits at run time: one field a trait, `automatic` or 0 where nothing is stated.
/// A guarantee (Deterministic) has no field here: a tuning changes speed, never a result.
struct Tuning {
  Algorithm algorithm = Algorithm::automatic;
  Transport transport = Transport::automatic;
  /// Automatic beside `blocks` means fixed_blocks, beside `min_blocks` scaled_blocks, beside `row_tile_elements`
  /// row_tiles.
  Geometry geometry = Geometry::automatic;
  std::int32_t blocks = 0;
  std::int32_t min_blocks = 0;
  std::int32_t max_blocks = 0;         ///< upper end of scaled_blocks; beside any other geometry a limit
  std::int32_t tile_elements = 0;      ///< elements of one tile of the flat data
  std::int32_t row_tile_elements = 0;  ///< tiles end with their row: min(this, next power of two of the row)
  std::int32_t block_threads = 0;
  std::int32_t vector_bytes = 0;
  std::int32_t vectors_in_flight = 0;  ///< vectors that one thread loads before it uses the first
  Entry entry_barrier = Entry::automatic;
  Switch dependent_launch = Switch::automatic;
  Switch early_trigger = Switch::automatic;

  friend constexpr bool operator==(Tuning const&, Tuning const&) = default;
};

namespace Impl {

/// Copies the fields of one category.
constexpr void copy_category(Tuning& to, Tuning const& from, Category category) {
  switch (category) {
    case Category::algorithm:
      to.algorithm = from.algorithm;
      break;
    case Category::transport:
      to.transport = from.transport;
      break;
    case Category::geometry:
      to.geometry = from.geometry;
      to.blocks = from.blocks;
      to.min_blocks = from.min_blocks;
      to.max_blocks = from.max_blocks;
      break;
    case Category::tile:
      to.tile_elements = from.tile_elements;
      to.row_tile_elements = from.row_tile_elements;
      break;
    case Category::block_threads:
      to.block_threads = from.block_threads;
      break;
    case Category::vector_bytes:
      to.vector_bytes = from.vector_bytes;
      break;
    case Category::vectors_in_flight:
      to.vectors_in_flight = from.vectors_in_flight;
      break;
    case Category::entry_barrier:
      to.entry_barrier = from.entry_barrier;
      break;
    case Category::dependent_launch:
      to.dependent_launch = from.dependent_launch;
      break;
    case Category::early_trigger:
      to.early_trigger = from.early_trigger;
      break;
    case Category::determinism:
      break;
  }
}

/// Gives a tuning that states the fields of one category only.
constexpr Tuning only(Tuning const& tuning, Category category) {
  Tuning result;
  copy_category(result, tuning, category);
  return result;
}

constexpr bool states(Tuning const& tuning, Category category) {
  return only(tuning, category) != Tuning{};
}

}  // namespace Impl

/// Lists the categories in which a tuning states something.
constexpr CategorySet stated_categories(Tuning const& tuning) {
  CategorySet result;
  for (std::size_t index = 0; index < enumerator_count<Category>; ++index) {
    auto const category = static_cast<Category>(index);
    if (Impl::states(tuning, category)) result.insert(category);
  }
  return result;
}

/// Names the geometry that the fields amount to.
constexpr Geometry geometry_of(Tuning const& tuning) {
  if (tuning.geometry != Geometry::automatic) return tuning.geometry;
  if (tuning.blocks != 0) return Geometry::fixed_blocks;
  if (tuning.min_blocks != 0) return Geometry::scaled_blocks;
  if (tuning.row_tile_elements != 0) return Geometry::row_tiles;
  return Geometry::automatic;
}

/// Names the first field whose value no launch can have, or null.
constexpr char const* fault_of(Tuning const& tuning) {
  if (tuning.blocks < 0) return "blocks is negative";
  if (tuning.min_blocks < 0) return "min_blocks is negative";
  if (tuning.max_blocks < 0) return "max_blocks is negative";
  if (tuning.max_blocks != 0 && tuning.min_blocks > tuning.max_blocks) return "min_blocks exceeds max_blocks";
  if (tuning.geometry == Geometry::fixed_blocks && tuning.blocks == 0) return "fixed_blocks is asked without blocks";
  if (tuning.tile_elements < 0) return "tile_elements is negative";
  if (tuning.row_tile_elements < 0) return "row_tile_elements is negative";
  if (tuning.block_threads < 0) return "block_threads is negative";
  if (tuning.vector_bytes < 0) return "vector_bytes is negative";
  if (tuning.vectors_in_flight < 0) return "vectors_in_flight is negative";
  return nullptr;
}

}  // namespace Koinon
