// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Array.hpp>
#include <arrays/Koinon_Operand.hpp>
#include <collectives/Koinon_Counts.hpp>
#include <collectives/Koinon_Refusal.hpp>
#include <collectives/Koinon_Shares.hpp>

#include <cstddef>
#include <string>

/// Arrays as rows: the first index is the row, whatever the layout; a rank-0 array is one row of one element.
namespace Koinon::Impl {

template <class T, int Rank>
[[nodiscard]] constexpr std::size_t rows_of(Array<T, Rank> const& a) {
  if constexpr (Rank == 0) {
    return 1;
  } else {
    return a.extents[0];
  }
}

template <class T, int Rank>
[[nodiscard]] constexpr std::size_t row_elements_of(Array<T, Rank> const& a) {
  std::size_t n = 1;
  for (int d = 1; d < Rank; ++d) n *= a.extents[d];
  return n;
}

/// Is who has which rows of the whole: given counts, or even.
struct RowCounts {
  Counts const* given = nullptr;

  /// Checks a list that was given: length, signs, and that it adds up to `rows` of `argument`.
  [[nodiscard]] Refusal check(int ranks, std::size_t rows, char const* argument) const {
    if (given == nullptr) return {};
    if (Refusal refusal = check_counts(given->values(), ranks, "counts")) return refusal;
    std::size_t total = 0;
    for (std::int64_t const count : given->values()) total += static_cast<std::size_t>(count);
    if (total == rows) return {};
    return refuse_extent(argument, "rows", rows, "the sum of the counts (" + std::to_string(total) + ")");
  }

  /// Returns the rows of one rank. @pre check passed
  [[nodiscard]] std::size_t of(int rank, int ranks, std::size_t rows) const {
    if (given != nullptr) return static_cast<std::size_t>(given->values()[static_cast<std::size_t>(rank)]);
    return static_cast<std::size_t>(even_partition(static_cast<std::int64_t>(rows), ranks).count(rank));
  }

  [[nodiscard]] std::size_t most(int ranks, std::size_t rows) const {
    std::size_t most = 0;
    for (int p = 0; p < ranks; ++p) most = of(p, ranks, rows) > most ? of(p, ranks, rows) : most;
    return most;
  }

  /// Sets the shares of a launch.
  template <class State>
  void divide(State& state, std::size_t rows, std::size_t row_elements, Shares& shares) const {
    shares.divide_evenly(rows, row_elements, state.size());
    if (given != nullptr) shares.give(given->values(), state.offsets_room());
  }

  /// Returns the counts as text, for KOINON_CHECK.
  [[nodiscard]] std::string text() const {
    if (given == nullptr) return ", even counts";
    std::string text = ", counts";
    for (std::int64_t const count : given->values()) text += " " + std::to_string(count);
    return text;
  }

  /// Mixes the counts into a selection's key: the largest share selects.
  [[nodiscard]] std::uint64_t key(int ranks, std::size_t rows) const { return given == nullptr ? 0 : 1 + most(ranks, rows); }
};

/// Is how the rows of a whole are divided over the ranks, beside a rank's own part: what reduce_scatter and all_gather
/// check alike.
struct Division {
  RowCounts counts;
  std::size_t rows;          // of the whole
  std::size_t part_rows;     // of this rank's array
  std::size_t row_elements;  // of the whole
  bool equal_rows;           // both have the same extents but the first

  template <class Whole, class Part, int WholeRank, int PartRank>
  Division(Counts const* given, Array<Whole, WholeRank> const& whole, Array<Part, PartRank> const& part)
      : counts{given}, rows(rows_of(whole)), part_rows(rows_of(part)), row_elements(row_elements_of(whole)),
        equal_rows(equal_extents(whole, part, 1)) {}

  template <class State, class Whole, class Part>
  [[nodiscard]] Refusal check(State& state, Operand<Whole> const& whole, char const* whole_name,
                              Operand<Part> const& part, char const* part_name) const {
    if (Refusal refusal = counts.check(state.size(), rows, whole_name)) return refusal;
    if (!equal_rows) {
      return refuse_extent(part_name, "elements in a row", part.count,
                           "the row extents of `" + std::string(whole_name) + "`");
    }
    std::size_t const mine = counts.of(state.rank(), state.size(), rows);
    if (part_rows != mine) {
      return refuse_extent(part_name, "rows", part_rows,
                           "the count of rank " + std::to_string(state.rank()) + " (" + std::to_string(mine) + ")");
    }
    if (!is_usable(state, whole)) [[unlikely]] return refuse_array(state, whole_name, whole);
    if (!is_usable(state, part)) [[unlikely]] return refuse_array(state, part_name, part);
    if (whole.dense && part.dense &&
        overlap(whole.pointer, whole.count * sizeof(Whole), part.pointer, part.count * sizeof(Part)) &&
        part.pointer != whole.pointer + begin_of(state.rank(), state.size())) {
      return Refusal::invalid("`" + std::string(part_name) + "` overlaps `" + whole_name +
                              "`; it may be this rank's own rows of `" + whole_name + "` or apart from it");
    }
    return {};
  }

  /// Returns the first element of a rank's share.
  [[nodiscard]] std::size_t begin_of(int rank, int ranks) const {
    std::size_t before = 0;
    for (int p = 0; p < rank; ++p) before += counts.of(p, ranks, rows);
    return before * row_elements;
  }

  /// Returns the number of elements of the longest share.
  [[nodiscard]] std::size_t longest(int ranks) const { return counts.most(ranks, rows) * row_elements; }
};

}  // namespace Koinon::Impl
