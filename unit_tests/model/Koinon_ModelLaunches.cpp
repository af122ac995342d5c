// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Koinon_ModelLaunches.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace Koinon::Impl {
namespace {

enum class Choice { none, rank, mask };

struct KindText {
  std::string_view name;
  Choice who;
};

constexpr std::array<KindText, static_cast<unsigned>(Kind::count)> kinds{{
    {"push_all", Choice::none},
    {"push_unread", Choice::rank},
    {"push_plain", Choice::none},
    {"push_among_others", Choice::rank},
    {"staged_pull", Choice::none},
    {"staged_pull_without", Choice::rank},
    {"broadcast", Choice::rank},
    {"reduce_pull", Choice::rank},
    {"reduce_push", Choice::rank},
    {"gather_without", Choice::rank},
    {"two_shot_push", Choice::none},
    {"two_shot_one_owner", Choice::rank},
    {"nothing", Choice::none},
    {"pull_mixed", Choice::mask},
    {"pull_idle_reader", Choice::rank},
    {"pull_unread", Choice::rank},
    {"reduce_zero_copy", Choice::rank},
    {"two_shot_in_place", Choice::none},
    {"one_shot_in_place", Choice::none},
    {"borrowed", Choice::none},
    {"rounds", Choice::rank},
    {"barrier", Choice::none},
    {"sentinels", Choice::none},
    {"sentinels_to_one", Choice::rank},
    {"sentinels_two_shot", Choice::none},
    {"push_exchange", Choice::none},
    {"push_scatter", Choice::none},
    {"push_reduce", Choice::none},
    {"push_direct", Choice::none},
}};

KindText const& entry_of(Kind kind) {
  return kinds[static_cast<unsigned>(kind)];
}

std::optional<Launch> parse_launch(std::string_view text) {
  std::size_t const name_end = text.find_first_of(":/");
  Launch launch{Kind::count};
  for (unsigned i = 0; i < kinds.size(); ++i)
    if (kinds[i].name == text.substr(0, name_end)) launch.kind = static_cast<Kind>(i);
  if (launch.kind == Kind::count) return std::nullopt;
  auto const number_after_sign = [&](char sign, int& number) {
    std::size_t const at = text.find(sign);
    if (at == std::string_view::npos) return true;
    return std::from_chars(text.data() + at + 1, text.data() + text.size(), number).ec == std::errc{};
  };
  if (!number_after_sign(':', launch.who) || !number_after_sign('/', launch.blocks)) return std::nullopt;
  if (launch.who < 0 || launch.who >= 1 << max_ranks || launch.blocks < 1 || launch.blocks > max_blocks)
    return std::nullopt;
  return launch;
}

}  // namespace

std::string text_of(Launch const& launch) {
  std::string text(entry_of(launch.kind).name);
  if (entry_of(launch.kind).who != Choice::none) text += ":" + std::to_string(launch.who);
  return text + "/" + std::to_string(launch.blocks);
}

std::string text_of(Sequence const& sequence) {
  std::string text;
  for (Launch const& launch : sequence) text += (text.empty() ? "" : " ") + text_of(launch);
  return text;
}

std::optional<Sequence> parse_sequence(std::string_view text) {
  Sequence sequence;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find(' '), text.size());
    if (end > 0) {
      std::optional<Launch> const launch = parse_launch(text.substr(0, end));
      if (!launch) return std::nullopt;
      sequence.push_back(*launch);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return sequence;
}

std::vector<Kind> all_kinds() {
  std::vector<Kind> all;
  for (unsigned i = 0; i < kinds.size(); ++i) all.push_back(static_cast<Kind>(i));
  return all;
}

std::vector<Launch> make_menu(std::vector<Kind> const& chosen, int ranks, int most_blocks) {
  std::vector<Kind> names = chosen.empty() ? all_kinds() : chosen;
  if (chosen.empty()) names.resize(static_cast<unsigned>(first_kind_of_gpus));
  std::vector<Launch> menu;
  for (Kind kind : names)
    for (int blocks = 1; blocks <= most_blocks; ++blocks) {
      Choice const choice = entry_of(kind).who;
      int const first = choice == Choice::mask ? 1 : 0;
      int const end = choice == Choice::none ? 1 : choice == Choice::rank ? ranks : 1 << ranks;
      for (int who = first; who < end; ++who) menu.push_back({kind, who, blocks});
    }
  return menu;
}

Launch rotated(Launch const& launch, int ranks) {
  Launch next = launch;
  switch (entry_of(launch.kind).who) {
    case Choice::none:
      break;
    case Choice::rank:
      next.who = (launch.who + 1) % ranks;
      break;
    case Choice::mask:
      next.who = (launch.who << 1 | launch.who >> (ranks - 1)) & ((1 << ranks) - 1);
      break;
  }
  return next;
}

}  // namespace Koinon::Impl
