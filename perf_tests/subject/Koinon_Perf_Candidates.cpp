// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Candidates.hpp>
#include <Koinon_TuningFields.hpp>

#include <string_view>

namespace Koinon::Perf {

std::vector<Tuning> algorithm_candidates(Algorithm asked) {
  std::vector<Tuning> all;
  for (auto const algorithm : {Algorithm::low_latency, Algorithm::one_shot, Algorithm::two_shot})
    if (asked == Algorithm::automatic || asked == algorithm) all.push_back({.algorithm = algorithm});
  return all;
}

std::vector<Tuning> geometry_candidates(Device device, Algorithm algorithm) {
  std::vector<Tuning> all;
  if (device == Device::host) return all;  // a block a thread of the instance
  if (algorithm == Algorithm::low_latency) {
    for (auto const threads : {128, 256, 512})
      for (auto const bytes : {8, 16})
        all.push_back({.algorithm = algorithm, .block_threads = threads, .vector_bytes = bytes});
    return all;
  }
  for (auto const threads : {256, 512})
    for (auto const blocks : {8, 16, 32, 64, 0})
      all.push_back({.algorithm = algorithm, .max_blocks = blocks, .block_threads = threads});
  return all;
}

std::string text_of(Tuning const& tuning) {
  std::string text;
  for_each_field(tuning, [&](std::string_view name, auto const& field) {
    if (field == std::remove_cvref_t<decltype(field)>{}) return;
    if (!text.empty()) text += ", ";
    if (name != "algorithm") text += std::string(name) + " ";
    text += field_text(field);
  });
  return text.empty() ? "automatic" : text;
}

}  // namespace Koinon::Perf
