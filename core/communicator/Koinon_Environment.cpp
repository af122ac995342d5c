// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <communicator/Koinon_Environment.hpp>

#include <Koinon_Error.hpp>
#include <node/Koinon_Vote.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>

namespace Koinon::Impl {

namespace {

std::optional<std::string_view> variable(char const* name) {
  char const* const value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string_view(value);
}

[[noreturn]] void refuse(char const* name, std::string_view value, char const* accepted) {
  throw InvalidArgument(std::string("Koinon: environment variable ") + name + "=" + std::string(value) +
                        " is not valid: " + accepted);
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool flag(char const* name, std::string_view value) {
  if (value == "0") return false;
  if (value == "1") return true;
  refuse(name, value, "0 or 1 expected");
}

/// A machine's owner may forbid multicast by the variables of other libraries; any that says off wins.
struct OwnerVariable {
  char const* name;
  char const* off;
};
constexpr std::array<OwnerVariable, 3> owner_variables{{
    {"NCCL_NVLS_ENABLE", "0"},
    {"TORCH_SYMM_MEM_DISABLE_MULTICAST", "1"},
    {"NVSHMEM_DISABLE_NVLS", "1"},
}};

constexpr std::array<char const*, 6> agreed_variables{"KOINON_TIMEOUT_SECONDS", "KOINON_MULTICAST",
                                                      "KOINON_RANKS_PER_NODE",  "KOINON_CHECK",
                                                      "KOINON_TUNING",          "KOINON_LOG"};

}  // namespace

Environment read_environment() {
  Environment environment;
  if (auto const value = variable("KOINON_TIMEOUT_SECONDS")) {
    if (*value == "off") {
      environment.timeout = std::chrono::nanoseconds(0);
    } else {
      auto const seconds = number<double>(*value);
      // 2^53 ns is 104 days: more is surely a mistake, and must not overflow.
      // Less than a nanosecond would become 0, which means off.
      if (!seconds || !std::isfinite(*seconds) || *seconds < 1e-9 || *seconds > 9.0e6) {
        refuse("KOINON_TIMEOUT_SECONDS", *value, "a number of seconds above 0 and up to 9000000, or `off`, expected");
      }
      environment.timeout = std::chrono::nanoseconds(static_cast<std::int64_t>(*seconds * 1e9));
    }
  }
  if (auto const value = variable("KOINON_MULTICAST"); value && !flag("KOINON_MULTICAST", *value)) {
    environment.multicast_allowed = false;
    environment.multicast_refusal = "KOINON_MULTICAST=0";
  }
  for (OwnerVariable const& owner : owner_variables) {
    auto const value = variable(owner.name);
    if (!value || *value != owner.off || !environment.multicast_allowed) continue;
    environment.multicast_allowed = false;
    environment.multicast_refusal = std::string(owner.name) + "=" + owner.off;
  }
  if (auto const value = variable("KOINON_RANKS_PER_NODE")) {
    environment.ranks_per_node = number<int>(*value);
    if (!environment.ranks_per_node || *environment.ranks_per_node < 1) {
      refuse("KOINON_RANKS_PER_NODE", *value, "a number of ranks, at least 1, expected");
    }
  }
  if (auto const value = variable("KOINON_CHECK")) environment.check_calls = flag("KOINON_CHECK", *value);
  if (auto const value = variable("KOINON_TUNING")) environment.tuning_file = std::string(*value);
  if (auto const value = variable("KOINON_LOG")) {
    constexpr std::array<std::string_view, 4> levels{"off", "error", "info", "trace"};
    std::size_t level = 0;
    while (level < levels.size() && levels[level] != *value) ++level;
    if (level == levels.size()) refuse("KOINON_LOG", *value, "off, error, info or trace expected");
    environment.log = static_cast<LogLevel>(level);
  }
  return environment;
}

void agree_on_environment(Bootstrap& bootstrap) {
  struct Values {
    char text[agreed_variables.size()][104];  // for the message; longer values are told apart by their hash
    std::uint64_t hash[agreed_variables.size()];
  };
  Values mine{};
  for (std::size_t v = 0; v < agreed_variables.size(); ++v) {
    std::string_view const value = variable(agreed_variables[v]).value_or("");
    value.copy(mine.text[v], sizeof mine.text[v] - 1);
    mine.hash[v] = std::hash<std::string_view>{}(value);
  }
  std::vector<Values> const all = gather_values(bootstrap, mine);
  for (std::size_t v = 0; v < agreed_variables.size(); ++v) {
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
      if (all[0].hash[v] == all[rank].hash[v] && std::strcmp(all[0].text[v], all[rank].text[v]) == 0) continue;
      auto const shown = [](char const* text) { return *text == '\0' ? std::string("unset") : "=" + std::string(text); };
      throw MismatchError(std::string("Koinon: environment variable ") + agreed_variables[v] +
                          " differs over ranks: rank 0 has " + shown(all[0].text[v]) + ", rank " + std::to_string(rank) +
                          " has " + shown(all[rank].text[v]));
    }
  }
}

void agree_on_multicast(Bootstrap& bootstrap, Environment& environment) {
  struct Refusal {
    char text[64];  // empty: allowed
  };
  Refusal mine{};
  environment.multicast_refusal.copy(mine.text, sizeof mine.text - 1);
  std::vector<Refusal> const all = gather_values(bootstrap, mine);
  for (std::size_t rank = 0; rank < all.size() && environment.multicast_allowed; ++rank) {
    if (*all[rank].text == '\0') continue;
    environment.multicast_allowed = false;
    environment.multicast_refusal = std::string(all[rank].text) + " on rank " + std::to_string(rank);
  }
}

}  // namespace Koinon::Impl
