// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Errors.hpp>
#include <Koinon_Perf_Json.hpp>
#include <Koinon_Perf_Trace.hpp>

#include <fmt/format.h>

#include <fstream>
#include <initializer_list>
#include <sstream>

namespace Koinon::Perf {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_calls = 10'000'000;  // a step that is longer is a typing error

/// Turns parsed JSON into a trace and names the line of what does not fit.
class Reader {
 public:
  explicit Reader(std::string const& name) : m_name(name) {}

  Trace read(Json const& root) const {
    Trace trace;
    trace.name = m_name;
    if (root.is_array()) {
      trace.steps.push_back(read_step("step", root, 1));
      return trace;
    }
    if (!root.is_object()) fail(1, "expected a list of calls or an object with \"steps\"");
    allow_only(root, {"name", "source", "steps"});
    if (root.contains("name")) trace.name = text(root, "name");
    if (root.contains("source")) trace.source = text(root, "source");
    if (!root.contains("steps") || !root.at("steps").is_object())
      fail(line_of(root, "steps"), "\"steps\" must be an object of lists of calls");
    auto const& steps = root.at("steps");
    for (auto const& [name, calls] : steps.items())
      if (name != "@lines") trace.steps.push_back(read_step(name, calls, line_of(steps, name)));
    if (trace.steps.empty()) fail(line_of(root, "steps"), "no step to replay");
    return trace;
  }

 private:
  [[noreturn]] void fail(std::size_t line, std::string const& reason) const {
    throw FileError(fmt::format("{}:{}: {}", m_name, line, reason));
  }

  TraceStep read_step(std::string const& name, Json const& calls, std::size_t line) const {
    TraceStep step;
    step.name = name;
    read_sequence(step, calls, line);
    if (step.order.empty()) fail(line, fmt::format("step \"{}\" has no calls", name));
    return step;
  }

  void read_sequence(TraceStep& step, Json const& sequence, std::size_t line) const {
    if (!sequence.is_array()) fail(line, "expected a list of calls");
    for (auto const& entry : sequence) {
      if (!entry.is_object()) fail(line, "a call must be an object, like {\"operation\": \"all_reduce\", ...}");
      auto const begin = step.order.size();
      if (entry.contains("calls")) {
        allow_only(entry, {"calls", "repeat", "label"});
        read_sequence(step, entry.at("calls"), line_of(entry, "calls"));
      } else {
        step.order.push_back(step.calls.size());
        step.calls.push_back(read_call(entry));
      }
      repeat_since(step, begin, entry);
    }
  }

  void repeat_since(TraceStep& step, std::size_t begin, Json const& entry) const {
    auto const repeat = entry.contains("repeat") ? whole_number(entry, entry.at("repeat"), "repeat") : 1;
    auto const length = step.order.size() - begin;
    if (repeat > most_calls || begin + length * repeat > most_calls)
      fail(line_of(entry, "repeat"), fmt::format("more than {} calls in a step", most_calls));
    step.order.reserve(begin + length * repeat);
    for (std::size_t i = length; i < length * repeat; ++i) step.order.push_back(step.order[begin + i - length]);
  }

  TraceCall read_call(Json const& entry) const {
    allow_only(entry, {"operation", "shape", "variant", "type", "reducer", "label", "repeat"});
    TraceCall call;
    if (!entry.contains("operation")) fail(line_of(entry), "a call without \"operation\"");
    auto const word = text(entry, "operation");
    auto const measured = operation_named(word);
    if (!measured || !is_built(*measured))
      fail(line_of(entry, "operation"), fmt::format("no operation '{}'; there are: {}", word, built_operations()));
    call.operation = measured->operation;
    call.norm = measured->norm;
    if (entry.contains("variant")) {
      if (call.norm == Norm::none) fail(line_of(entry, "variant"), "only operations with a norm have variants");
      call.norm = named<Norm>(entry, "variant");
    }
    if (entry.contains("type")) call.type = named<ElementType>(entry, "type");
    if (entry.contains("reducer")) call.reducer = named<ReducerName>(entry, "reducer");
    if (entry.contains("label")) call.label = text(entry, "label");
    if (is_bitwise(call.reducer) && !is_integer(call.type))
      fail(line_of(entry, "reducer"), "a bitwise reducer needs an integer type");
    if (call.norm != Norm::none && (!is_normed(call.type) || call.reducer != ReducerName::sum))
      fail(line_of(entry), fmt::format("{} sums float, float16 or bfloat16", word));
    if (entry.contains("shape")) {
      if (!entry.at("shape").is_array()) fail(line_of(entry, "shape"), "\"shape\" must be a list of extents");
      for (auto const& extent : entry.at("shape")) call.shape.push_back(whole_number(entry, extent, "shape"));
    } else if (call.operation != Operation::barrier) {
      fail(line_of(entry), "a call without \"shape\"");
    }
    return call;
  }

  template <class Value>
  Value named(Json const& entry, std::string const& key) const {
    auto const word = text(entry, key);
    if (auto const value = value_named<Value>(word); value && is_built(*value)) return *value;
    fail(line_of(entry, key), fmt::format("no {} '{}'; there are: {}", key, word, built_names<Value>()));
  }

  std::string text(Json const& object, std::string const& key) const {
    if (!object.at(key).is_string()) fail(line_of(object, key), fmt::format("\"{}\" must be a text", key));
    return object.at(key).get<std::string>();
  }

  std::size_t whole_number(Json const& object, Json const& value, std::string const& key) const {
    if (!value.is_number_unsigned() || value.get<std::size_t>() == 0)
      fail(line_of(object, key), fmt::format("\"{}\" needs whole numbers of at least 1, not {}", key, value.dump()));
    return value.get<std::size_t>();
  }

  void allow_only(Json const& object, std::initializer_list<std::string_view> keys) const {
    for (auto const& [key, value] : object.items()) {
      bool known = key == "@lines";
      std::string list;
      for (auto const allowed : keys) {
        known = known || key == allowed;
        (list += list.empty() ? "" : " ") += allowed;
      }
      if (!known) fail(line_of(object, key), fmt::format("unknown key \"{}\"; there are: {}", key, list));
    }
  }

  std::string const& m_name;
};

}  // namespace

std::size_t TraceCall::columns() const {
  std::size_t columns = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) columns *= shape[i];
  return columns;
}

std::size_t TraceStep::bytes() const {
  std::size_t bytes = 0;
  for (auto const index : order) bytes += calls[index].bytes();
  return bytes;
}

Trace parse_trace(std::string_view text, std::string const& name) {
  return Reader(name).read(parse_json_with_lines(text, name));
}

Trace read_trace(std::string const& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  if (!stream || !(text << stream.rdbuf())) throw FileError(fmt::format("{}: cannot be read", file));
  return parse_trace(text.str(), file);
}

}  // namespace Koinon::Perf
