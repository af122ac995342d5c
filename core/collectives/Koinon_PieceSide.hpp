// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <arrays/Koinon_Piece.hpp>
#include <collectives/Koinon_Shares.hpp>

#include <cstddef>
#include <cstdint>

namespace Koinon::Impl {

/// Says how an array is cut into one piece a rank.
enum class Cut : std::int32_t {
  none,     // the whole is every rank's piece
  rows,     // neighbouring rows
  columns,  // neighbouring columns of all rows
};

/// Is where in a rank's array the piece of each rank lies: what it sends to that rank, or receives from it.
struct PieceSide {
  Cut cut = Cut::none;
  std::size_t rows = 0;          // of the array
  std::size_t row_elements = 0;
  Shares shares;                 // elements, of columns: of one row

  [[nodiscard]] KOINON_FORCE_INLINE Piece of(int rank) const {
    std::size_t const row = row_elements > 0 ? row_elements : 1;
    if (cut == Cut::none) return {0, rows * row_elements, row, row};
    Range const share = shares.of(rank);
    if (cut == Cut::rows) return {share.begin, share.size(), row, row};
    return {share.begin, rows * share.size(), share.size() > 0 ? share.size() : 1, row};
  }
  /// Returns the number of elements of the longest piece.
  [[nodiscard]] KOINON_FORCE_INLINE std::size_t longest() const {
    if (cut == Cut::none) return rows * row_elements;
    return cut == Cut::rows ? shares.longest : rows * shares.longest;
  }
};

}  // namespace Koinon::Impl
