// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Result.hpp>

#include <string>
#include <vector>

namespace Koinon::Perf {

/// Writes rows as they come, in the columns of nccl-tests and beside them those of the rivals.
class Table {
 public:
  /// @param rivals names of the columns on the right; every row has a result or a refusal for each
  /// @param device decides whether the rewriting of inputs, a part of the time, has a column, or the host's time of a
  /// call
  explicit Table(std::vector<std::string> rivals, Device device = Device::host)
      : m_rivals(std::move(rivals)), m_device(device) {}

  /// Returns the head of a table of one operation, each line beginning with '#'.
  std::string head() const;
  std::string row(Result const& result) const;

  /// Returns the head of a table of the steps of a trace.
  std::string trace_head() const;
  std::string trace_row(Result const& result) const;

  /// Returns the lines that end a table: geometric mean of each ratio, reasons of what did not run, wrong elements.
  std::string foot(std::vector<Result> const& results) const;

 private:
  char const* side_head() const { return m_device == Device::host ? "rewrite" : "host"; }
  std::string timing_cells(Result const& result) const;
  std::string rival_heads() const;
  std::string rival_cells(Result const& result) const;

  std::vector<std::string> m_rivals;
  Device m_device;
};

}  // namespace Koinon::Perf
