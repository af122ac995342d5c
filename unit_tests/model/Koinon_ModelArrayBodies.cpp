// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Koinon_ModelArrayBodies.hpp"

namespace Koinon::Impl {

void pull_mixed(BlockWriter& block, unsigned zero_copy) {
  bool const mine = zero_copy >> block.rank() & 1;
  if (!mine && !block.holds(Rule::placement_never_selects)) return push_among_others(block, block.ranks());
  block.start(Role::sends, block.others());
  if (!mine) block.stage(block.rank(), block.rank());
  for (int peer : block.peers()) block.signal_entry(peer);
  for (int peer : block.peers()) block.await_entry(peer);
  for (int peer : block.peers()) zero_copy >> peer & 1 ? block.read_array(peer, 0) : block.read_staged(peer, peer);
  for (int peer : block.peers()) block.signal_exit(peer);
  if (mine) block.await_exits(block.peers());
}

void pull_zero_copy(BlockWriter& block, unsigned readers, unsigned sources) {
  auto const among = [&](unsigned ranks) {
    std::vector<int> peers;
    for (int peer : block.peers())
      if (ranks >> peer & 1) peers.push_back(peer);
    return peers;
  };
  bool const reads = readers >> block.rank() & 1, is_read = sources >> block.rank() & 1;
  block.start(is_read ? Role::sends : Role::only_receives, is_read ? readers & block.others() : 0);
  if (is_read)
    for (int peer : among(readers)) block.signal_entry(peer);
  if (reads) {
    for (int peer : among(sources)) block.await_entry(peer);
    for (int peer : among(sources)) block.read_array(peer, 0);
  }
}

void exit_zero_copy(BlockWriter& block, unsigned senders, unsigned sources) {
  std::vector<int> awaited;
  for (int peer : block.peers()) {
    if ((senders >> block.rank() & 1) && (sources >> peer & 1)) block.signal_exit(peer);
    if (senders >> peer & 1) awaited.push_back(peer);
  }
  if (sources >> block.rank() & 1) block.await_exits(awaited);
}

void pull_with_idle_reader(BlockWriter& block, int idle) {
  unsigned const all = (1u << block.ranks()) - 1, readers = all & ~(1u << idle);
  pull_zero_copy(block, readers, all);
  // Its peers cannot know that the idle rank reads nothing: they wait for its exit word too.
  if (block.rank() == idle && !block.holds(Rule::exit_words_of_idle_readers)) return block.await_exits(block.peers());
  exit_zero_copy(block, all, all);
}

void two_shot_in_place(BlockWriter& block) {
  block.start(Role::sends, block.others());
  for (int peer : block.peers()) block.signal_entry(peer);
  for (int peer : block.peers()) block.await_entry(peer);
  for (int peer : block.peers()) block.read_array(peer, block.rank());
  block.store_result(block.rank(), block.rank());
  for (int peer : block.peers()) block.store_result(peer, block.rank());
  for (int peer : block.peers()) block.signal_exit(peer);
  block.await_exits(block.peers());
}

void one_shot_in_place(BlockWriter& block) {
  block.start(Role::sends, block.others());
  bool const stages = block.holds(Rule::in_place_one_shot_stages);
  if (stages) block.stage(block.rank(), block.rank());
  for (int peer : block.peers()) block.signal_entry(peer);
  for (int peer : block.peers()) block.await_entry(peer);
  for (int peer : block.peers()) stages ? block.read_staged(peer, peer) : block.read_array(peer, 0);
  block.store_result(block.rank(), 0);
  if (stages) return;
  for (int peer : block.peers()) block.signal_exit(peer);
  block.await_exits(block.peers());
}

void borrowed(BlockWriter& block) {
  block.start(Role::sends, 0);
  for (int peer : block.peers()) {
    block.store_borrowed(peer);
    block.signal(peer);
  }
  for (int peer : block.peers()) block.await_signal(peer);
}

void rounds(BlockWriter& block, int root) {
  bool const is_root = block.rank() == root;
  block.start(is_root ? Role::sends : Role::only_receives, 0);
  for (int round = 1; round <= 3; ++round) {
    block.start_round(round);
    if (!is_root) {
      block.read_round(root, round);
      continue;
    }
    if (round > 1)
      for (int peer : block.peers()) block.await_round_started(peer, round - 1);
    for (int peer : block.peers()) block.store_round(peer, round);
  }
}

}  // namespace Koinon::Impl
