// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Table.hpp>

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace Koinon::Perf {

namespace {

/// Writes microseconds with three to four significant digits.
std::string time_cell(double microseconds) {
  auto const digits = microseconds < 10 ? 3 : microseconds < 100 ? 2 : microseconds < 1000 ? 1 : 0;
  return fmt::format("{:.{}f}", microseconds, digits);
}

std::string wrong_cell(bool checked, std::uint64_t wrong) {
  return checked ? fmt::format("{}", wrong) : "N/A";
}

char const* place_cell(Result const& result) {
  return result.borrowed ? "lent" : result.in_place ? "in" : "out";
}

std::string reducer_cell(Result const& result) {
  return has_reducer(result.operation) ? std::string(name_of(result.reducer)) : "none";
}

}  // namespace

std::string Table::timing_cells(Result const& result) const {
  auto const side = m_device == Device::host ? result.rewrite : result.host;
  return fmt::format("  {:>9}  {:>6}", time_cell(side), fmt::format("{:.0f}%", result.time.spread() * 100));
}

std::string Table::rival_heads() const {
  std::string heads;
  for (auto const& rival : m_rivals) heads += fmt::format("  | {:>9}  {:>7}  {:>6}", rival, "ratio", "wrong");
  return heads;
}

std::string Table::rival_cells(Result const& result) const {
  std::string cells;
  for (auto const& rival : result.rivals) {
    if (rival.refusal.empty())
      cells += fmt::format("  | {:>9}  {:>7}  {:>6}", time_cell(rival.time.median),
                           result.refusal.empty() ? fmt::format("{:.2f}x", ratio(result, rival)) : "-",
                           wrong_cell(result.checked, rival.wrong));
    else
      cells += fmt::format("  | {:>9}  {:>7}  {:>6}", "-", "-", "-");
  }
  return cells;
}

std::string Table::head() const {
  auto const names =
      fmt::format("#{:>12}  {:>11}  {:>11}  {:>7}  {:>5}  {:>9}  {:>7}  {:>7}  {:>6}  {:>9}  {:>6}", "bytes", "count",
                  "type", "redop", "place", "time", "algbw", "busbw", "wrong", side_head(), "spread");
  auto const units = fmt::format("#{:>12}  {:>11}  {:>11}  {:>7}  {:>5}  {:>9}  {:>7}  {:>7}  {:>6}  {:>9}  {:>6}",
                                 "(B)", "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)", "", "(us)", "");
  std::string rival_units;
  for (std::size_t i = 0; i < m_rivals.size(); ++i)
    rival_units += fmt::format("  | {:>9}  {:>7}  {:>6}", "(us)", "", "");
  return names + rival_heads() + "\n" + units + rival_units + "\n";
}

std::string Table::row(Result const& result) const {
  auto row = fmt::format(" {:>12}  {:>11}  {:>11}  {:>7}  {:>5}", result.bytes, result.count, name_of(result.type),
                         reducer_cell(result), place_cell(result));
  if (!result.refusal.empty()) return row + fmt::format("  not run: {}", result.refusal) + rival_cells(result) + "\n";
  row += fmt::format("  {:>9}  {:>7.2f}  {:>7.2f}  {:>6}", time_cell(result.time.median), algorithm_bandwidth(result),
                     bus_bandwidth(result), wrong_cell(result.checked, result.wrong));
  return row + timing_cells(result) + rival_cells(result) + "\n";
}

std::string Table::trace_head() const {
  return fmt::format("# {:<28}  {:>7}  {:>12}  {:>9}  {:>7}  {:>6}  {:>9}  {:>6}", "step", "calls", "bytes", "time us",
                     "us/call", "wrong", side_head(), "spread") +
         rival_heads() + "\n";
}

std::string Table::trace_row(Result const& result) const {
  auto const per_call = result.time.median / static_cast<double>(result.calls);
  auto row = fmt::format("  {:<28}  {:>7}  {:>12}", result.step, result.calls, result.bytes);
  if (!result.refusal.empty()) return row + fmt::format("  not run: {}", result.refusal) + rival_cells(result) + "\n";
  row += fmt::format("  {:>9}  {:>7}  {:>6}", time_cell(result.time.median), time_cell(per_call),
                     wrong_cell(result.checked, result.wrong));
  return row + timing_cells(result) + rival_cells(result) + "\n";
}

std::string Table::foot(std::vector<Result> const& results) const {
  std::string foot;
  for (std::size_t i = 0; i < m_rivals.size(); ++i) {
    double logarithms = 0;
    std::size_t compared = 0;
    std::set<std::string> refusals;
    for (auto const& result : results) {
      auto const& rival = result.rivals[i];
      if (!rival.refusal.empty()) refusals.insert(rival.refusal);
      if (!rival.refusal.empty() || !result.refusal.empty()) continue;
      logarithms += std::log(ratio(result, rival));
      ++compared;
    }
    if (compared > 0)
      foot += fmt::format("# {}: {:.2f} times Koinon's time (geometric mean of {} rows)\n", m_rivals[i],
                          std::exp(logarithms / static_cast<double>(compared)), compared);
    for (auto const& refusal : refusals) foot += fmt::format("# {} not measured: {}\n", m_rivals[i], refusal);
  }
  std::uint64_t wrong = wrong_elements({{}, {}, results});
  auto const checked = results.empty() || results.front().checked;
  return foot + (checked ? fmt::format("# wrong elements: {}\n", wrong) : "# results were not checked\n");
}

}  // namespace Koinon::Perf
