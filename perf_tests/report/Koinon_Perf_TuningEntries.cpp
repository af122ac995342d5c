// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_TuningEntries.hpp>
#include <Koinon_TuningFields.hpp>

#include <cmath>
#include <string_view>
#include <type_traits>

namespace Koinon::Perf {

std::vector<TuningEntry> entries_of(TuningEntry const& key, std::vector<TunedSize> const& sizes) {
  std::vector<TuningEntry> entries;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    bool const last = i + 1 == sizes.size();
    if (!last && sizes[i + 1].tuning == sizes[i].tuning) continue;
    auto entry = key;
    entry.tuning = sizes[i].tuning;
    entry.up_to_bytes = any_bytes;
    if (!last) {
      auto const middle =
          std::sqrt(static_cast<double>(sizes[i].message_bytes) * static_cast<double>(sizes[i + 1].message_bytes));
      entry.up_to_bytes = static_cast<std::int64_t>(middle);
    }
    entries.push_back(entry);
  }
  return entries;
}

nlohmann::ordered_json to_json(std::vector<TuningEntry> const& entries) {
  auto list = nlohmann::ordered_json::array();
  TuningEntry const nothing;
  for (auto const& entry : entries) {
    nlohmann::ordered_json object;
    for_each_field(entry, [&](std::string_view name, auto const& field) {
      using Field = std::remove_cvref_t<decltype(field)>;
      if (field == Field{} || (name == "up_to_bytes" && entry.up_to_bytes == nothing.up_to_bytes)) return;
      if constexpr (std::is_integral_v<Field>)
        object[std::string(name)] = field;
      else
        object[std::string(name)] = field_text(field);
    });
    list.push_back(object);
  }
  return list;
}

}  // namespace Koinon::Perf
