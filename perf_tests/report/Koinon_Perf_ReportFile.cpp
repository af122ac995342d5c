// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Errors.hpp>
#include <Koinon_Perf_ReportFile.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

namespace Koinon::Perf {

namespace {

using Json = nlohmann::ordered_json;

/// Keeps a tenth of a nanosecond: more digits are noise and make files of two runs hard to read.
double rounded(double value) {
  return std::round(value * 1e4) / 1e4;
}

Json to_json(RivalResult const& rival, Result const& result) {
  if (!rival.refusal.empty()) return {{"not_run", rival.refusal}};
  Json json{{"time_us", rounded(rival.time.median)},
            {"time_us_min", rounded(rival.time.minimum)},
            {"time_us_max", rounded(rival.time.maximum)}};
  if (result.device != Device::host) json["host_us"] = rounded(rival.host);
  json["wrong"] = result.checked ? Json(rival.wrong) : Json(nullptr);
  return json;
}

Json to_json(Result const& result) {
  Json json;
  auto const is_step = !result.trace.empty();
  json["operation"] = is_step ? Json("trace") : Json(name_of(result.operation, result.norm));
  if (is_step) {
    json["trace"] = result.trace;
    json["step"] = result.step;
    json["calls"] = result.calls;
  }
  if (result.norm != Norm::none) json["variant"] = name_of(result.norm);
  json["bytes"] = result.bytes;
  if (!is_step) {
    json["count"] = result.count;
    json["type"] = name_of(result.type);
    json["reducer"] = has_reducer(result.operation) ? Json(name_of(result.reducer)) : Json(nullptr);
  }
  json["ranks"] = result.ranks;
  json["algorithm"] = name_of(result.algorithm);
  json["transport"] = name_of(result.transport);
  json["placement"] = name_of(result.placement);
  json["in_place"] = result.in_place;
  json["borrowed"] = result.borrowed;
  json["graph"] = result.graph;
  json["load"] = result.load;
  if (result.device != Device::host) {
    json["device"] = name_of(result.device);
    json["dependent_launch"] = result.dependent_launch;
    json["early_trigger"] = result.early_trigger;
  }
  if (!result.refusal.empty()) {
    json["not_run"] = result.refusal;
  } else {
    json["time_us"] = rounded(result.time.median);
    json["time_us_min"] = rounded(result.time.minimum);
    json["time_us_max"] = rounded(result.time.maximum);
    json["rewrite_us"] = rounded(result.rewrite);
    if (result.device != Device::host) json["host_us"] = rounded(result.host);
    if (!is_step) {
      json["algbw_gbps"] = rounded(algorithm_bandwidth(result));
      json["busbw_gbps"] = rounded(bus_bandwidth(result));
    }
    json["wrong"] = result.checked ? Json(result.wrong) : Json(nullptr);
  }
  json["rivals"] = Json::object();
  for (auto const& rival : result.rivals) json["rivals"][rival.name] = to_json(rival, result);
  return json;
}

[[noreturn]] void fail(std::string const& file) {
  throw FileError(fmt::format("{}: cannot be written: {}", file, std::strerror(errno)));
}

}  // namespace

Json to_json(Report const& report) {
  Json json;
  json["machine"] = Json::object();
  for (auto const& [key, value] : report.machine) json["machine"][key] = value;
  json["command"] = report.command;
  json["results"] = Json::array();
  for (auto const& result : report.results) json["results"].push_back(to_json(result));
  return json;
}

void claim_file(std::string const& file) {
  write_file(file, "");
}

void write_file(std::string const& file, std::string const& text) {
  errno = 0;
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  if (!stream) fail(file);
  stream << text;
  stream.flush();
  if (!stream) fail(file);
}

}  // namespace Koinon::Perf
