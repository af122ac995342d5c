// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_ExchangeShapes.hpp>

#include <algorithm>
#include <span>

namespace Koinon::Impl {

namespace {

std::size_t as_size(int ranks) {
  return static_cast<std::size_t>(ranks);
}

std::size_t sum_of(std::span<std::int64_t const> values) {
  std::size_t sum = 0;
  for (std::int64_t const value : values) sum += static_cast<std::size_t>(value);
  return sum;
}

std::string sum_text(char const* list, std::span<std::int64_t const> values) {
  return std::string("the sum of `") + list + "` (" + std::to_string(sum_of(values)) + ")";
}

/// Refuses an extent that does not divide by the number of ranks.
Refusal check_divides(char const* argument, char const* what, std::size_t given, int ranks, char const* otherwise = "") {
  if (given % as_size(ranks) == 0) return {};
  return refuse_extent(argument, what, given,
                       "a multiple of the " + std::to_string(ranks) + " ranks" + std::string(otherwise));
}

/// Refuses an extent other than the expected one.
Refusal check_equal(char const* argument, char const* what, std::size_t given, std::size_t expected, std::string const& why) {
  if (given == expected) return {};
  return refuse_extent(argument, what, given, std::to_string(expected) + " (" + why + ")");
}

void cut_rows(Extents const& array, int ranks, PieceSide& side) {
  side.cut = Cut::rows;
  side.rows = array.rows;
  side.row_elements = array.columns;
  side.shares.divide_evenly(array.rows, array.columns, ranks);
}

void cut_columns(Extents const& array, int ranks, PieceSide& side) {
  side.cut = Cut::columns;
  side.rows = array.rows;
  side.row_elements = array.columns;
  side.shares.divide_evenly(array.columns, 1, ranks);
}

/// Checks the two arrays of shards_to_rows and its inverse: `shards` are all rows of one rank's columns, `rows` are one
/// rank's rows of all columns.
Refusal check_shards(Extents const& shards, char const* shards_name, Extents const& rows, char const* rows_name, int ranks) {
  if (Refusal refusal = check_divides(shards_name, "rows", shards.rows, ranks)) return refusal;
  if (Refusal refusal = check_divides(rows_name, "columns", rows.columns, ranks)) return refusal;
  std::string const by = " by the " + std::to_string(ranks) + " ranks";
  if (Refusal refusal = check_equal(rows_name, "rows", rows.rows, shards.rows / as_size(ranks),
                                    "the rows of `" + std::string(shards_name) + "` divided" + by)) {
    return refusal;
  }
  return check_equal(shards_name, "columns", shards.columns, rows.columns / as_size(ranks),
                     "the columns of `" + std::string(rows_name) + "` divided" + by);
}

std::string extents_text(char const* name, Extents const& array) {
  return std::string(", ") + name + " [" + std::to_string(array.rows) + ", " + std::to_string(array.columns) + "]";
}

}  // namespace

Refusal AllToAllShape::check(int, int ranks) const {
  if (Refusal refusal = check_equal("out", "elements in a row", out.columns, in.columns, "those of `in`")) return refusal;
  if (send == nullptr) {
    if (Refusal refusal = check_divides("in", "rows", in.rows, ranks, ", or Counts of what is sent and received,")) return refusal;
    return check_equal("out", "rows", out.rows, in.rows, "those of `in`");
  }
  if (Refusal refusal = check_counts(send->values(), ranks, "send")) return refusal;
  if (Refusal refusal = check_counts(receive->values(), ranks, "receive")) return refusal;
  if (in.rows != sum_of(send->values())) return refuse_extent("in", "rows", in.rows, sum_text("send", send->values()));
  if (out.rows != sum_of(receive->values())) {
    return refuse_extent("out", "rows", out.rows, sum_text("receive", receive->values()));
  }
  return {};
}

void AllToAllShape::cut(int ranks, std::size_t* room, PieceSide& sent, PieceSide& received) const {
  cut_rows(in, ranks, sent);
  cut_rows(out, ranks, received);
  if (send == nullptr) return;
  sent.shares.give(send->values(), room);
  received.shares.give(receive->values(), room + ranks + 1);
}

Common AllToAllShape::common(int ranks) const {
  if (send != nullptr) return {0, in.columns, false};
  return {in.rows / as_size(ranks), in.columns};
}

std::string AllToAllShape::text() const {
  // Of lists, a rank knows its own only.
  return send == nullptr ? extents_text("in", in) : ", " + std::to_string(in.columns) + " elements a row, counts";
}

Refusal ShardsToRowsShape::check(int, int ranks) const {
  return check_shards(in, "in", out, "out", ranks);
}

void ShardsToRowsShape::cut(int ranks, std::size_t*, PieceSide& sent, PieceSide& received) const {
  cut_rows(in, ranks, sent);
  cut_columns(out, ranks, received);
}

Common ShardsToRowsShape::common(int) const {
  return {out.rows, in.columns};
}

std::string ShardsToRowsShape::text() const {
  return extents_text("in", in);
}

Refusal RowsToShardsShape::check(int, int ranks) const {
  return check_shards(out, "out", in, "in", ranks);
}

void RowsToShardsShape::cut(int ranks, std::size_t*, PieceSide& sent, PieceSide& received) const {
  cut_columns(in, ranks, sent);
  cut_rows(out, ranks, received);
}

Common RowsToShardsShape::common(int) const {
  return {in.rows, out.columns};
}

std::string RowsToShardsShape::text() const {
  return extents_text("in", in);
}

Refusal AllGatherColumnsShape::check(int rank, int ranks) const {
  std::size_t mine = out.columns / as_size(ranks);
  if (widths == nullptr) {
    if (Refusal refusal = check_divides("out", "columns", out.columns, ranks, ", or Widths,")) return refusal;
  } else {
    auto const values = widths->values();
    if (values.size() != as_size(ranks)) return check_counts(values, ranks, "widths");
    auto const wrong = std::find_if(values.begin(), values.end(), [](std::int64_t width) { return width <= 0; });
    if (wrong != values.end()) {
      return Refusal::invalid("`widths` has " + std::to_string(*wrong) + " for rank " +
                              std::to_string(wrong - values.begin()) + ", a positive number of columns expected");
    }
    if (Refusal refusal = check_counts(values, ranks, "widths")) return refusal;
    if (out.columns != sum_of(values)) return refuse_extent("out", "columns", out.columns, sum_text("widths", values));
    mine = static_cast<std::size_t>(values[as_size(rank)]);
  }
  if (Refusal refusal = check_equal("in", "columns", in.columns, mine, "the width of rank " + std::to_string(rank))) {
    return refusal;
  }
  return check_equal("in", "rows", in.rows, out.rows, "those of `out`");
}

void AllGatherColumnsShape::cut(int ranks, std::size_t* room, PieceSide& sent, PieceSide& received) const {
  sent.cut = Cut::none;
  sent.rows = in.rows;
  sent.row_elements = in.columns;
  cut_columns(out, ranks, received);
  if (widths != nullptr) received.shares.give(widths->values(), room);
}

Common AllGatherColumnsShape::common(int ranks) const {
  if (widths == nullptr) return {out.rows, out.columns / as_size(ranks)};
  auto const values = widths->values();
  return {out.rows, static_cast<std::size_t>(*std::max_element(values.begin(), values.end()))};
}

std::string AllGatherColumnsShape::text() const {
  std::string text = extents_text("out", out);
  if (widths == nullptr) return text + ", even widths";
  text += ", widths";
  for (std::int64_t const width : widths->values()) text += " " + std::to_string(width);
  return text;
}

}  // namespace Koinon::Impl
