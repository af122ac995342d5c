// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Koinon_ModelScenarios.hpp"

#include <algorithm>
#include <random>

namespace Koinon::Impl {
namespace {

/// Covers every way of using memory once: for exhaustive runs of three ranks.
std::vector<Kind> const few_kinds{Kind::push_unread, Kind::staged_pull, Kind::broadcast,        Kind::reduce_pull,
                                  Kind::nothing,     Kind::borrowed,    Kind::reduce_zero_copy, Kind::two_shot_push};
std::vector<Kind> const more_kinds{
    Kind::push_unread, Kind::staged_pull,       Kind::broadcast,        Kind::reduce_pull, Kind::nothing,
    Kind::borrowed,    Kind::pull_mixed,        Kind::reduce_zero_copy, Kind::push_plain,  Kind::two_shot_push,
    Kind::rounds,      Kind::two_shot_in_place, Kind::push_among_others};

/// Mixes what GPUs alone do with every other way of using memory.
std::vector<Kind> const kinds_of_gpus{
    Kind::push_unread,  Kind::staged_pull, Kind::pull_mixed,       Kind::broadcast,          Kind::nothing,
    Kind::barrier,      Kind::sentinels,   Kind::sentinels_to_one, Kind::sentinels_two_shot, Kind::push_exchange,
    Kind::push_scatter, Kind::push_reduce, Kind::push_direct};

Setting make_setting(int ranks) {
  Setting setting;
  setting.ranks = ranks;
  return setting;
}

/// Starts two launches before the wrap, with words of the previous cycle in memory.
Setting wrapping(Setting setting, int start = last_number - 2) {
  setting.start = start;
  setting.left_overs = true;
  return setting;
}

Setting late(Setting setting, bool host = false) {
  setting.late = true;
  setting.host = host;
  return setting;
}

/// Lets the number after the last be 4 without a barrier: fine as long as no word of the previous cycle is left.
Setting plainly_wrapping(Setting setting) {
  setting.start = last_number - 2;
  setting.clears_at_wrap = false;
  return setting;
}

bool is_first_of_rotations(Sequence const& sequence, int ranks) {
  auto const key = [](Launch const& launch) {
    return static_cast<int>(launch.kind) << 8 | launch.who << 4 | launch.blocks;
  };
  Sequence other = sequence;
  for (int turn = 1; turn < ranks; ++turn) {
    for (Launch& launch : other) launch = rotated(launch, ranks);
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      if (key(other[i]) == key(sequence[i])) continue;
      if (key(other[i]) < key(sequence[i])) return false;
      break;
    }
  }
  return true;
}

void add(Outcome& total, Outcome&& one, Sequence const& sequence) {
  total.sequences += one.sequences;
  total.states += one.states;
  total.most_states = std::max(total.most_states, one.most_states);
  total.limited = total.limited || one.limited;
  if (one.error.empty()) return;
  total.error = std::move(one.error);
  total.trace = std::move(one.trace);
  total.sequence = sequence;
}

}  // namespace

std::vector<Scenario> const& scenarios() {
  static std::vector<Scenario> const all{
      {"two_ranks", "2 ranks, all kinds", make_setting(2)},
      {"two_ranks_two_blocks", "2 ranks, grids of 1 and 2", make_setting(2), 4, 2, {}, 100'000},
      {"two_ranks_wrap",
       "2 ranks, grids of 1 and 2, the number wraps after 2 launches",
       wrapping(make_setting(2)),
       4,
       2,
       {},
       40'000},
      {"two_ranks_plain_wrap",
       "2 ranks, the number wraps, no word is left over",
       plainly_wrapping(make_setting(2)),
       4,
       1,
       {},
       20'000},
      {"two_ranks_late", "2 ranks, stores land late", late(make_setting(2)), 4, 1, {}, 100'000},
      {"two_ranks_late_wrap", "2 ranks, stores land late, wrap", wrapping(late(make_setting(2))), 4, 2, {}, 3'000},
      {"two_ranks_host", "2 ranks, stores land late, no drain", late(make_setting(2), true), 4, 2, {}, 20'000},
      {"two_ranks_host_wrap",
       "2 ranks, stores land late, no drain, wrap",
       wrapping(late(make_setting(2), true)),
       4,
       1,
       {},
       20'000},
      {"three_ranks", "3 ranks, all kinds", make_setting(3), 4, 1, {}, 60'000},
      {"three_ranks_more_kinds", "3 ranks, half of the kinds", make_setting(3), 3, 1, more_kinds},
      {"three_ranks_two_blocks", "3 ranks, grids of 1 and 2", make_setting(3), 4, 2, {}, 2'000},
      {"three_ranks_wrap", "3 ranks, the number wraps after 2 launches", wrapping(make_setting(3)), 4, 1, few_kinds},
      {"three_ranks_wrap_sooner",
       "3 ranks, all kinds, the number wraps after 1 launch",
       wrapping(make_setting(3), last_number - 1),
       4,
       1,
       {},
       20'000},
      {"three_ranks_late", "3 ranks, stores land late", late(make_setting(3)), 4, 1, {}, 10'000},
      {"three_ranks_host", "3 ranks, stores land late, no drain", late(make_setting(3), true), 4, 1, {}, 10'000},
      {"two_ranks_gpu", "2 ranks, kinds of GPUs", make_setting(2), 4, 1, kinds_of_gpus},
      {"two_ranks_gpu_late", "2 ranks, kinds of GPUs, stores land late", late(make_setting(2)), 4, 1, kinds_of_gpus,
       20'000},
      {"two_ranks_gpu_two_blocks", "2 ranks, kinds of GPUs, grids of 1 and 2, stores land late", late(make_setting(2)),
       3, 2, kinds_of_gpus, 100},
      {"two_ranks_gpu_wrap", "2 ranks, kinds of GPUs, stores land late, wrap", wrapping(late(make_setting(2))), 4, 1,
       kinds_of_gpus, 10'000},
      {"three_ranks_gpu", "3 ranks, kinds of GPUs", make_setting(3), 3, 1, kinds_of_gpus},
      {"three_ranks_gpu_late", "3 ranks, kinds of GPUs, stores land late", late(make_setting(3)), 3, 1, kinds_of_gpus,
       120},
      {"three_ranks_gpu_wrap", "3 ranks, kinds of GPUs, the number wraps after 1 launch",
       wrapping(make_setting(3), last_number - 1), 4, 1, kinds_of_gpus, 2'000},
      {"two_ranks_gpu_every_order", "2 ranks, kinds of GPUs, no reduction", make_setting(2), 4, 1, kinds_of_gpus, 5'000,
       false},
      {"two_ranks_every_order", "2 ranks, all kinds, no reduction", make_setting(2), 4, 1, {}, 50'000, false},
      {"three_ranks_every_order", "3 ranks, all kinds, no reduction", make_setting(3), 4, 1, {}, 2'000, false},
      {"two_ranks_host_every_order", "2 ranks, host, no reduction", late(make_setting(2), true), 4, 1, few_kinds, 2000,
       false},
  };
  return all;
}

std::size_t sequences_in_all(Scenario const& scenario) {
  std::size_t const menu = make_menu(scenario.kinds, scenario.setting.ranks, scenario.most_blocks).size();
  std::size_t all = 1;
  for (int i = 0; i < scenario.launches; ++i) all *= menu;
  return all;
}

Outcome run_scenario(Scenario const& scenario, std::size_t most_states) {
  std::vector<Launch> const menu = make_menu(scenario.kinds, scenario.setting.ranks, scenario.most_blocks);
  std::size_t const all = sequences_in_all(scenario);
  std::mt19937_64 draw(20240229);
  Outcome total;
  Sequence sequence(scenario.launches, menu.front());
  for (std::size_t i = 0; i < (scenario.samples ? scenario.samples : all); ++i) {
    std::size_t index = scenario.samples ? draw() % all : i;
    for (Launch& launch : sequence) {
      launch = menu[index % menu.size()];
      index /= menu.size();
    }
    if (scenario.samples == 0 && !is_first_of_rotations(sequence, scenario.setting.ranks)) continue;
    add(total, explore(scenario.setting, sequence, most_states, scenario.reduced), sequence);
    if (!total.error.empty() || total.limited) break;
  }
  return total;
}

Outcome shortened(Scenario const& scenario, Sequence sequence, std::size_t most_states) {
  Outcome shortest = explore(scenario.setting, sequence, most_states, scenario.reduced);
  for (std::size_t i = sequence.size(); i-- > 0;) {
    Sequence shorter = sequence;
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(i));
    Outcome outcome = explore(scenario.setting, shorter, most_states, scenario.reduced);
    if (outcome.error.empty()) continue;
    shortest = std::move(outcome);
    sequence = std::move(shorter);
  }
  shortest.sequence = std::move(sequence);
  return shortest;
}

}  // namespace Koinon::Impl
