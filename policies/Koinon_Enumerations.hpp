// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace Koinon {

enum class Operation : std::int32_t {
  all_reduce,
  reduce_scatter,
  all_gather,
  all_gather_columns,
  all_to_all,
  shards_to_rows,
  rows_to_shards,
  all_gather_multiple,
  all_reduce_multiple,
  broadcast,
  reduce,
  barrier
};

enum class Algorithm : std::int32_t { automatic, one_shot, two_shot, low_latency };

enum class Transport : std::int32_t { automatic, peer_load, multimem };

/// Says how many blocks a launch has; what a tile is, is stated apart.
enum class Geometry : std::int32_t {
  automatic,
  fixed_blocks,
  scaled_blocks,
  one_tile_a_block,
  one_row_a_block,
  row_tiles
};

enum class Entry : std::int32_t { automatic, barrier, skip };

enum class Switch : std::int32_t { automatic, off, on };

/// Names what a trait is about. Two traits of one policy may not share a category.
enum class Category : std::int32_t {
  algorithm,
  transport,
  geometry,
  tile,
  block_threads,
  vector_bytes,
  vectors_in_flight,
  entry_barrier,
  dependent_launch,
  early_trigger,
  determinism
};

/// Names what a device offers beyond loads and stores of peers' memory.
enum class Capability : std::int32_t { multimem, dependent_launch };

namespace Impl {

/// Lists the names of an enumeration: the name of the enumerator with value i stands at i.
template <class Enum>
struct EnumNames;

template <>
struct EnumNames<Operation> {
  static constexpr std::array<std::string_view, 12> names{
      "all_reduce",          "reduce_scatter", "all_gather",     "all_gather_columns",
      "all_to_all",          "shards_to_rows", "rows_to_shards", "all_gather_multiple",
      "all_reduce_multiple", "broadcast",      "reduce",         "barrier"};
};
template <>
struct EnumNames<Algorithm> {
  static constexpr std::array<std::string_view, 4> names{"auto", "one_shot", "two_shot", "low_latency"};
};
template <>
struct EnumNames<Transport> {
  static constexpr std::array<std::string_view, 3> names{"auto", "peer_load", "multimem"};
};
template <>
struct EnumNames<Geometry> {
  static constexpr std::array<std::string_view, 6> names{
      "auto", "fixed_blocks", "scaled_blocks", "one_tile_a_block", "one_row_a_block", "row_tiles"};
};
template <>
struct EnumNames<Entry> {
  static constexpr std::array<std::string_view, 3> names{"auto", "barrier", "skip"};
};
template <>
struct EnumNames<Switch> {
  static constexpr std::array<std::string_view, 3> names{"auto", "off", "on"};
};
template <>
struct EnumNames<Category> {
  static constexpr std::array<std::string_view, 11> names{
      "algorithm",         "transport",     "geometry",         "tile",          "block_threads", "vector_bytes",
      "vectors_in_flight", "entry_barrier", "dependent_launch", "early_trigger", "determinism"};
};
template <>
struct EnumNames<Capability> {
  static constexpr std::array<std::string_view, 2> names{"multimem", "dependent_launch"};
};

}  // namespace Impl

template <class Enum>
concept NamedEnum = requires {
  Impl::EnumNames<Enum>::names;
};

/// Counts the enumerators; they are 0 .. enumerator_count - 1.
template <NamedEnum Enum>
inline constexpr std::size_t enumerator_count = Impl::EnumNames<Enum>::names.size();

/// Gives the name that command lines, tuning files and messages use.
/// @post from_string<Enum>(to_string(value)) == value
template <NamedEnum Enum>
constexpr std::string_view to_string(Enum value) {
  auto const index = static_cast<std::size_t>(value);
  return index < enumerator_count<Enum> ? Impl::EnumNames<Enum>::names[index] : std::string_view("unknown");
}

/// Finds the enumerator of that name, if there is one.
template <NamedEnum Enum>
constexpr std::optional<Enum> from_string(std::string_view name) {
  for (std::size_t index = 0; index < enumerator_count<Enum>; ++index) {
    if (Impl::EnumNames<Enum>::names[index] == name) return static_cast<Enum>(index);
  }
  return std::nullopt;
}

}  // namespace Koinon
