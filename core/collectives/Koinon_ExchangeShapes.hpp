// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>
#include <Koinon_Operations.hpp>
#include <collectives/Koinon_Counts.hpp>
#include <collectives/Koinon_PieceSide.hpp>
#include <collectives/Koinon_Refusal.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

/// What the exchanges do not have in common: which extents fit, and how `in` and `out` are cut into pieces. Each has
///
///   Operation operation()
///   Refusal check(rank, ranks) const       extents and lists
///   void cut(ranks, room, sent, received)  the pieces; room for 2 (ranks + 1) offsets that outlive the launch
///   Common common(ranks) const             what every rank knows of all
///   std::string text() const               what must be equal on all ranks
namespace Koinon::Impl {

/// Is an array as a matrix: the first index is the row, a row's elements are its columns.
struct Extents {
  std::size_t rows;
  std::size_t columns;
};

/// Is how large an exchange is, as all ranks know it; nothing where only its two ranks know a piece.
struct Common {
  std::size_t piece_rows = 0;     // of the longest piece
  std::size_t piece_columns = 0;
  bool known = true;
  [[nodiscard]] std::size_t longest() const { return piece_rows * piece_columns; }
};

struct KOINON_EXPORT AllToAllShape {
  static constexpr Operation operation = Operation::all_to_all;
  static constexpr bool one_piece = false;
  Extents in, out;
  Counts const* send = nullptr;  // both or none
  Counts const* receive = nullptr;

  [[nodiscard]] Refusal check(int rank, int ranks) const;
  void cut(int ranks, std::size_t* room, PieceSide& sent, PieceSide& received) const;
  [[nodiscard]] Common common(int ranks) const;
  [[nodiscard]] std::string text() const;
};

struct KOINON_EXPORT ShardsToRowsShape {
  static constexpr Operation operation = Operation::shards_to_rows;
  static constexpr bool one_piece = false;
  Extents in, out;

  [[nodiscard]] Refusal check(int rank, int ranks) const;
  void cut(int ranks, std::size_t* room, PieceSide& sent, PieceSide& received) const;
  [[nodiscard]] Common common(int ranks) const;
  [[nodiscard]] std::string text() const;
};

struct KOINON_EXPORT RowsToShardsShape {
  static constexpr Operation operation = Operation::rows_to_shards;
  static constexpr bool one_piece = false;
  Extents in, out;

  [[nodiscard]] Refusal check(int rank, int ranks) const;
  void cut(int ranks, std::size_t* room, PieceSide& sent, PieceSide& received) const;
  [[nodiscard]] Common common(int ranks) const;
  [[nodiscard]] std::string text() const;
};

struct KOINON_EXPORT AllGatherColumnsShape {
  static constexpr Operation operation = Operation::all_gather_columns;
  static constexpr bool one_piece = true;
  Extents in, out;
  Widths const* widths = nullptr;

  [[nodiscard]] Refusal check(int rank, int ranks) const;
  void cut(int ranks, std::size_t* room, PieceSide& sent, PieceSide& received) const;
  [[nodiscard]] Common common(int ranks) const;
  [[nodiscard]] std::string text() const;
};

}  // namespace Koinon::Impl
