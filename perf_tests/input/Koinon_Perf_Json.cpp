// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Errors.hpp>
#include <Koinon_Perf_Json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace Koinon::Perf {

namespace {

using Json = nlohmann::ordered_json;

/// Walks over text and counts in the caller's variable the lines that the parser has read.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = char const*;
  using reference = char const&;

  CountingIterator(char const* position, std::size_t* line) : m_position(position), m_line(line) {}
  reference operator*() const { return *m_position; }
  CountingIterator& operator++() {
    if (*m_position++ == '\n') ++*m_line;
    return *this;
  }
  CountingIterator operator++(int) {
    auto const before = *this;
    ++*this;
    return before;
  }
  bool operator==(CountingIterator const& other) const { return m_position == other.m_position; }
  bool operator!=(CountingIterator const& other) const { return m_position != other.m_position; }

 private:
  char const* m_position;
  std::size_t* m_line;
};

/// Drops what the JSON library puts before the reason ("[json.exception...] parse error at line ...:").
std::string reason_of(std::string message) {
  if (auto const at = message.find("syntax error"); at != std::string::npos) return message.substr(at);
  if (auto const at = message.find(": "); at != std::string::npos) return message.substr(at + 2);
  return message;
}

}  // namespace

Json parse_json_with_lines(std::string_view text, std::string const& name) {
  std::size_t line = 1;
  std::vector<Json> open_objects;
  auto const on_event = [&](int, Json::parse_event_t event, Json& parsed) {
    switch (event) {
      case Json::parse_event_t::object_start:
        open_objects.push_back(Json{{"", line}});
        break;
      case Json::parse_event_t::key:
        open_objects.back()[parsed.get<std::string>()] = line;
        break;
      case Json::parse_event_t::object_end:
        parsed["@lines"] = std::move(open_objects.back());
        open_objects.pop_back();
        break;
      default:
        break;
    }
    return true;
  };
  try {
    return Json::parse(CountingIterator(text.data(), &line), CountingIterator(text.data() + text.size(), &line),
                       on_event);
  } catch (Json::parse_error const& error) {
    auto const read = std::min<std::size_t>(error.byte > 0 ? error.byte - 1 : 0, text.size());
    auto const lines = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(read), '\n');
    throw FileError(fmt::format("{}:{}: {}", name, lines, reason_of(error.what())));
  }
}

std::size_t line_of(Json const& object, std::string const& key) {
  auto const& lines = object.at("@lines");
  return lines.contains(key) ? lines.at(key).get<std::size_t>() : lines.at("").get<std::size_t>();
}

}  // namespace Koinon::Perf
