// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_TuningTable.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <vector>

namespace Koinon::Perf {

/// Is the fastest way of one size.
struct TunedSize {
  std::int64_t message_bytes = 0;  ///< what the library looks a tuning up by
  Tuning tuning;
};

/// Joins neighbouring sizes that have one tuning; between two that have not the edge lies in the middle of their ratio.
/// @param key backend, operation and ranks, which every entry gets
/// @param sizes ascending; none: no entries @post the last entry covers what is above, so there are no gaps
std::vector<TuningEntry> entries_of(TuningEntry const& key, std::vector<TunedSize> const& sizes);

/// Writes entries as KOINON_TUNING reads them: what states nothing is left out.
nlohmann::ordered_json to_json(std::vector<TuningEntry> const& entries);

}  // namespace Koinon::Perf
