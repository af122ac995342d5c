// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Koinon_ModelDeviceBodies.hpp"

namespace Koinon::Impl {
namespace {

void take_and_arm(BlockWriter& block, int first_slot) {
  for (int peer : block.peers()) block.take_sentinel(first_slot + peer);
  for (int peer : block.peers()) block.arm_sentinel(first_slot + peer);
}

/// What the turns of a pushing launch do with results: Koinon_PushReduce.hpp.
enum class Results { stay, to_staging, to_arrays };

void push_turns(BlockWriter& block, int rounds, Results results) {
  block.start(Role::sends, block.others());
  for (int peer : block.peers()) block.signal_entry(peer);
  for (int peer : block.peers()) block.await_entry(peer);
  auto const take_out = [&](int round) {
    if (results != Results::to_staging || round < 0) return;
    for (int peer : block.peers()) block.read_pushed(peer, true, round);
  };
  auto const read = [&](int round) {
    if (round < 0 || round >= rounds) return;
    for (int peer : block.peers()) block.read_pushed(peer, false, round);
  };
  auto const give_results = [&](int round) {
    if (results == Results::stay || round < 0 || round >= rounds) return;
    if (results == Results::to_arrays) block.store_result(block.rank(), block.rank());
    for (int peer : block.peers())
      results == Results::to_arrays ? block.store_result(peer, block.rank()) : block.push(peer, true, round);
  };
  int const turns = rounds + (results == Results::stay ? 1 : 2);
  for (int turn = 0; turn < turns; ++turn) {
    bool const last = turn + 1 == turns;
    bool const early_loads = !block.holds(Rule::acquire_on_ready);
    if (early_loads) read(turn - 1);
    bool const waits = turn > 0 && (!last || results == Results::stay || block.holds(Rule::ready_of_last_results));
    if (waits) block.await_ready(turn - 1);
    bool const takes_late = !last && !block.holds(Rule::ready_after_taking);
    if (!takes_late) take_out(turn - 2);
    if (turn < rounds)
      for (int peer : block.peers()) block.push(peer, false, turn);
    bool const tells_early = !last && !block.holds(Rule::ready_after_reading);
    if (tells_early) block.signal_ready(turn);
    if (!early_loads) read(turn - 1);
    give_results(turn - 1);
    if (!last && !tells_early) block.signal_ready(turn);
    if (takes_late) take_out(turn - 2);
  }
}

}  // namespace

void sentinels(BlockWriter& block, unsigned readers) {
  bool const reads = readers >> block.rank() & 1;
  bool const sends = (readers & block.others()) != 0;
  block.start(sends ? Role::sends : Role::only_receives, readers & block.others());
  for (int peer : block.peers())
    if ((readers >> peer & 1) || !block.holds(Rule::sentinels_all_read)) block.send_sentinel(peer, block.rank());
  if (reads) take_and_arm(block, 0);
}

void sentinels_two_shot(BlockWriter& block) {
  block.start(Role::sends, block.others());
  for (int peer : block.peers()) block.send_sentinel(peer, block.rank());
  take_and_arm(block, 0);
  for (int peer : block.peers()) block.send_sentinel(peer, max_ranks + block.rank());
  take_and_arm(block, max_ranks);
}

void push_exchange(BlockWriter& block) {
  block.start(Role::sends, block.others());
  for (int round = 0; round < 3; ++round) {
    for (int peer : block.peers()) block.push(peer, false, round);
    if (round == 0) {
      for (int peer : block.peers()) block.signal_entry(peer);
      for (int peer : block.peers()) block.await_entry(peer);
    } else {
      block.signal_ready(round);
      block.await_ready(round);
    }
    for (int peer : block.peers()) block.read_pushed(peer, false, round);
  }
}

void push_rounds(BlockWriter& block, bool fans_out) {
  push_turns(block, 3, fans_out ? Results::to_staging : Results::stay);
}

void push_direct(BlockWriter& block) {
  push_turns(block, 1, Results::to_arrays);
}

void barrier(BlockWriter& block) {
  block.start(Role::sends, block.others());
  for (int peer : block.peers()) block.signal(peer);
  for (int peer : block.peers()) block.await_signal(peer);
}

}  // namespace Koinon::Impl
