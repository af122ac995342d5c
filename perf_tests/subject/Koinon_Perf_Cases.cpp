// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Cases.hpp>
#include <Koinon_Perf_Errors.hpp>
#include <Koinon_Perf_Sizes.hpp>

#include <fmt/format.h>

#include <numeric>

namespace Koinon::Perf {

namespace {

Case common_case(Options const& options) {
  Case what;
  what.in_place = options.in_place;
  what.placement = options.placement;
  what.algorithm = options.algorithm;
  what.transport = options.transport;
  what.skip_entry_barrier = options.skip_entry_barrier;
  what.dependent_launch = options.dependent_launch;
  what.early_trigger = options.early_trigger;
  return what;
}

constexpr std::size_t columns_unless_given = 64;  // of each rank
constexpr std::size_t hidden_unless_given = 7168;  // of a norm

Case with_rows(Case what, std::size_t rows, int ranks) {
  auto const r = static_cast<std::size_t>(ranks);
  if (what.operation == Operation::all_to_all) rows = (rows + r - 1) / r * r;  // each rank sends as many
  what.rows = rows;
  what.counts = even_counts(rows, ranks);
  return what;
}

/// Deals out the columns, evenly unless the user gave others.
/// @throws UsageError when they do not fit the ranks
Case with_widths(Case what, Options const& options, int ranks) {
  auto const r = static_cast<std::size_t>(ranks);
  what.counts = options.widths;
  what.counts_given = !options.widths.empty();
  if (what.counts_given) {
    if (options.widths.size() != r) throw UsageError(fmt::format("--widths: {} widths for {} ranks", options.widths.size(), ranks));
    what.columns = std::accumulate(options.widths.begin(), options.widths.end(), std::size_t{0});
    return what;
  }
  if (what.columns == 1) what.columns = columns_unless_given * r;
  if (what.columns % r != 0)
    throw UsageError(fmt::format("{}: {} columns do not divide by {} ranks", name_of(what.operation), what.columns, ranks));
  what.counts.assign(r, what.columns / r);
  return what;
}

/// Returns the case with so many rows, of an all_to_all rounded to what the ranks divide.
Case of_rows(Case what, std::size_t rows, int ranks) {
  if (!divides_columns(what.operation)) return with_rows(what, rows, ranks);
  what.rows = rows;
  return what;
}

}  // namespace

std::vector<Case> cases_of(Options const& options, int ranks) {
  auto what = common_case(options);
  what.operation = options.operation;
  what.norm = options.norm;
  what.borrowed = options.borrowed;
  what.type = options.type;
  what.reducer = options.reducer;
  what.columns = options.columns;
  if (options.operation == Operation::all_gather_multiple && options.columns == 1) what.columns = 9;  // 4 tokens a row
  if (options.norm != Norm::none && options.columns == 1) what.columns = hidden_unless_given;
  if (options.operation == Operation::barrier) return {with_rows(what, 0, ranks)};
  what.in_place = options.in_place || options.operation == Operation::broadcast;
  if (divides_columns(what.operation)) what = with_widths(what, options, ranks);
  if (!options.counts.empty()) {
    if (options.counts.size() != static_cast<std::size_t>(ranks))
      throw UsageError(fmt::format("--counts: {} counts for {} ranks", options.counts.size(), ranks));
    what.counts = options.counts;
    what.counts_given = true;
    what.rows = std::accumulate(options.counts.begin(), options.counts.end(), std::size_t{0});
    return {what};
  }
  if (options.rows != 0) return {of_rows(what, options.rows, ranks)};
  std::vector<Case> cases;
  auto const row_bytes = what.columns * bytes_of(what.type);
  for (auto const bytes : sizes_between(options.min_bytes, options.max_bytes, options.factor))
    if (bytes >= row_bytes) {
      auto made = of_rows(what, bytes / row_bytes, ranks);
      if (cases.empty() || cases.back().rows != made.rows) cases.push_back(std::move(made));
    }
  if (cases.empty())
    throw UsageError(fmt::format("no size up to {} holds a row of {}", readable_bytes(options.max_bytes),
                                 readable_bytes(row_bytes)));
  return cases;
}

Case case_of(TraceCall const& call, Options const& options, int ranks) {
  auto what = common_case(options);
  what.operation = call.operation;
  what.norm = call.norm;
  what.type = call.type;
  what.reducer = call.reducer;
  what.label = call.label;
  if (call.operation == Operation::barrier) return with_rows(what, 0, ranks);
  auto const has_form = call.norm == Norm::none && call.operation != Operation::all_gather_multiple &&
                        !is_exchange(call.operation);
  what.in_place = (options.in_place && has_form) || call.operation == Operation::broadcast;
  auto const has_rows = has_counts(call.operation) || is_exchange(call.operation) || call.norm != Norm::none;
  // Only operations on rows care where a row ends; for all others one long row is the same and has no second extent.
  what.columns = has_rows ? call.columns() : 1;
  if (divides_columns(call.operation)) {
    // As programs pad their arrays: rows and columns up to what the ranks divide.
    auto const r = static_cast<std::size_t>(ranks);
    auto const each = [r](std::size_t all) { return (all + r - 1) / r; };
    what.columns = each(what.columns) * r;
    auto const whole = call.operation == Operation::all_gather_columns;
    return of_rows(with_widths(what, Options{}, ranks), whole ? call.rows() : each(call.rows()), ranks);
  }
  return with_rows(what, has_rows ? call.rows() : call.rows() * call.columns(), ranks);
}

}  // namespace Koinon::Perf
