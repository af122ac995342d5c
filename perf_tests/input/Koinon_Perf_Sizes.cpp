// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Errors.hpp>
#include <Koinon_Perf_Sizes.hpp>

#include <fmt/format.h>

#include <charconv>
#include <limits>

namespace Koinon::Perf {

namespace {

std::size_t unit_bytes(char letter) {
  switch (letter) {
    case 'k':
    case 'K':
      return std::size_t{1} << 10;
    case 'm':
    case 'M':
      return std::size_t{1} << 20;
    case 'g':
    case 'G':
      return std::size_t{1} << 30;
    default:
      return 0;
  }
}

}  // namespace

std::size_t parse_size(std::string_view option, std::string_view text) {
  auto digits = text;
  std::size_t unit = 1;
  if (!digits.empty() && unit_bytes(digits.back()) != 0) {
    unit = unit_bytes(digits.back());
    digits.remove_suffix(1);
  }
  std::size_t number = 0;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || error == std::errc::invalid_argument || end != digits.data() + digits.size())
    throw UsageError(fmt::format("{}: '{}' is not a whole number with an optional K, M or G", option, text));
  if (error != std::errc{} || number > std::numeric_limits<std::size_t>::max() / unit)
    throw UsageError(fmt::format("{}: '{}' is too large", option, text));
  return number * unit;
}

std::vector<std::size_t> parse_counts(std::string_view option, std::string_view text) {
  std::vector<std::size_t> counts;
  for (;;) {
    auto const comma = text.find(',');
    counts.push_back(parse_size(option, text.substr(0, comma)));
    if (comma == std::string_view::npos) return counts;
    text.remove_prefix(comma + 1);
  }
}

std::vector<std::size_t> sizes_between(std::size_t from, std::size_t to, std::size_t factor) {
  std::vector<std::size_t> sizes;
  for (auto size = from; size <= to; size *= factor) {
    sizes.push_back(size);
    if (size > to / factor) break;
  }
  return sizes;
}

std::string readable_bytes(std::size_t bytes) {
  constexpr char const* units[] = {"B", "KiB", "MiB", "GiB"};
  int unit = 0;
  while (unit < 3 && bytes >= 1024 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", bytes, units[unit]);
}

}  // namespace Koinon::Perf
