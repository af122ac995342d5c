// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Array.hpp>
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

  /// Returns the shares of a launch; given counts are kept by the communicator.
  template <class State>
  [[nodiscard]] Shares shares(State& state, std::size_t rows, std::size_t row_elements) const {
    Shares shares{.offsets = nullptr, .rows = rows, .row_elements = row_elements, .ranks = state.size(), .owner = -1};
    if (given != nullptr) shares.offsets = state.keep_offsets(given->values(), row_elements);
    return shares;
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

}  // namespace Koinon::Impl
