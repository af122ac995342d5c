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

Case with_rows(Case what, std::size_t rows, int ranks) {
  what.rows = rows;
  what.counts = even_counts(rows, ranks);
  return what;
}

}  // namespace

std::vector<Case> cases_of(Options const& options, int ranks) {
  auto what = common_case(options);
  what.operation = options.operation;
  what.type = options.type;
  what.reducer = options.reducer;
  what.columns = options.columns;
  if (options.operation == Operation::barrier) return {with_rows(what, 0, ranks)};
  what.in_place = options.in_place || options.operation == Operation::broadcast;
  if (!options.counts.empty()) {
    if (options.counts.size() != static_cast<std::size_t>(ranks))
      throw UsageError(fmt::format("--counts: {} counts for {} ranks", options.counts.size(), ranks));
    what.counts = options.counts;
    what.counts_given = true;
    what.rows = std::accumulate(options.counts.begin(), options.counts.end(), std::size_t{0});
    return {what};
  }
  if (options.rows != 0) return {with_rows(what, options.rows, ranks)};
  std::vector<Case> cases;
  auto const row_bytes = what.columns * bytes_of(what.type);
  for (auto const bytes : sizes_between(options.min_bytes, options.max_bytes, options.factor))
    if (bytes >= row_bytes && (cases.empty() || cases.back().rows != bytes / row_bytes))
      cases.push_back(with_rows(what, bytes / row_bytes, ranks));
  if (cases.empty())
    throw UsageError(fmt::format("no size up to {} holds a row of {}", readable_bytes(options.max_bytes),
                                 readable_bytes(row_bytes)));
  return cases;
}

Case case_of(TraceCall const& call, Options const& options, int ranks) {
  auto what = common_case(options);
  what.operation = call.operation;
  what.type = call.type;
  what.reducer = call.reducer;
  what.label = call.label;
  if (call.operation == Operation::barrier) return with_rows(what, 0, ranks);
  what.in_place = options.in_place || call.operation == Operation::broadcast;
  // Only operations on rows care where a row ends; for all others one long row is the same and has no second extent.
  what.columns = has_counts(call.operation) ? call.columns() : 1;
  return with_rows(what, has_counts(call.operation) ? call.rows() : call.rows() * call.columns(), ranks);
}

}  // namespace Koinon::Perf
