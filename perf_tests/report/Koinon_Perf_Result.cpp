// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Result.hpp>

namespace Koinon::Perf {

std::uint64_t wrong_elements(Report const& report) {
  std::uint64_t wrong = 0;
  for (auto const& result : report.results) {
    wrong += result.wrong;
    for (auto const& rival : result.rivals) wrong += rival.wrong;
  }
  return wrong;
}

double algorithm_bandwidth(Result const& result) {
  return result.time.median > 0 ? static_cast<double>(result.bytes) / result.time.median / 1e3 : 0;
}

double bus_bandwidth(Result const& result) {
  auto const ranks = static_cast<double>(result.ranks);
  auto const bandwidth = algorithm_bandwidth(result);
  switch (result.operation) {
    case Operation::all_reduce:
      return bandwidth * 2 * (ranks - 1) / ranks;
    case Operation::reduce_scatter:
    case Operation::all_gather:
    case Operation::all_gather_columns:
    case Operation::all_to_all:
    case Operation::shards_to_rows:
    case Operation::rows_to_shards:
      return bandwidth * (ranks - 1) / ranks;
    default:
      return bandwidth;
  }
}

double ratio(Result const& result, RivalResult const& rival) {
  return result.time.median > 0 ? rival.time.median / result.time.median : 0;
}

}  // namespace Koinon::Perf
