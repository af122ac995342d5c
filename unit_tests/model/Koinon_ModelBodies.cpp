// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Koinon_ModelArrayBodies.hpp"
#include "Koinon_ModelBlockWriter.hpp"
#include "Koinon_ModelDeviceBodies.hpp"
#include "Koinon_ModelLaunches.hpp"

namespace Koinon::Impl {
namespace {

std::vector<int> peers_without(BlockWriter const& block, int left_out) {
  std::vector<int> peers;
  for (int peer : block.peers())
    if (peer != left_out) peers.push_back(peer);
  return peers;
}

void push(BlockWriter& block, std::vector<int> const& to, std::vector<int> const& from) {
  for (int peer : to) block.push_packet(peer, block.rank());
  for (int peer : from) block.take_packet(peer, peer);
}

void push_unread(BlockWriter& block, int who) {
  block.start(Role::sends, 0);
  push(block, block.peers(), block.rank() == who ? block.peers() : std::vector<int>{});
}

void push_plain(BlockWriter& block) {
  block.start(Role::sends, block.others());
  for (int peer : block.peers()) {
    block.stage(peer, block.rank());
    block.signal(peer);
  }
  for (int peer : block.peers()) {
    block.await_signal(peer);
    block.read_staged(block.rank(), peer);
  }
}

void staged_pull(BlockWriter& block, int without) {
  if (block.rank() == without) {
    block.start(Role::empty, 0);
  } else {
    block.start(Role::sends, block.others());
    block.stage(block.rank(), block.rank());
    for (int peer : block.peers()) block.signal(peer);
  }
  for (int peer : peers_without(block, without)) block.await_signal(peer);
  for (int peer : peers_without(block, without)) block.read_staged(peer, peer);
}

void broadcast(BlockWriter& block, int root) {
  bool const is_root = block.rank() == root;
  block.start(is_root ? Role::sends : Role::only_receives, is_root ? block.others() : 0);
  push(block, is_root ? block.peers() : std::vector<int>{}, is_root ? std::vector<int>{} : std::vector{root});
}

void reduce_push(BlockWriter& block, int root) {
  bool const is_root = block.rank() == root;
  block.start(is_root ? Role::only_receives : Role::sends, is_root ? 0 : 1u << root);
  push(block, is_root ? std::vector<int>{} : std::vector{root}, is_root ? block.peers() : std::vector<int>{});
}

void reduce_pull(BlockWriter& block, int root) {
  if (block.rank() != root) {
    block.start(Role::sends, 1u << root);
    block.stage(block.rank(), block.rank());
    block.signal(root);
    return;
  }
  block.start(Role::only_receives, 0);
  for (int peer : block.peers()) block.await_signal(peer);
  for (int peer : block.peers()) block.read_staged(peer, peer);
}

void gather_without(BlockWriter& block, int who) {
  bool const empty = block.rank() == who;
  block.start(empty ? Role::empty : Role::sends, empty ? 0 : block.others());
  push(block, empty ? std::vector<int>{} : block.peers(), peers_without(block, who));
}

/// @param owner the rank that owns all rows; every rank owns a share if it is no rank
void two_shot_push(BlockWriter& block, int owner) {
  int const ranks = block.ranks(), rank = block.rank();
  auto const owns = [&](int r) { return owner >= ranks || r == owner; };
  unsigned data_to = 0;
  for (int peer : block.peers())
    if (owns(peer) || owns(rank)) data_to |= 1u << peer;
  block.start(Role::sends, data_to);
  for (int peer : block.peers())
    if (owns(peer)) block.push_packet(peer, rank, 1);
  if (owns(rank)) {
    for (int peer : block.peers()) block.take_packet(peer, peer, 1);
    for (int peer : block.peers()) block.push_packet(peer, ranks + rank, 1);
  }
  for (int peer : block.peers())
    if (owns(peer)) block.take_packet(peer, ranks + peer, 1);
}

}  // namespace

void push_among_others(BlockWriter& block, int who) {
  if (block.rank() == who) return block.start(Role::empty, 0);
  block.start(Role::sends, block.others() & ~(1u << who));
  push(block, peers_without(block, who), peers_without(block, who));
}

bool is_idle(Launch const& launch, int rank) {
  return (launch.kind == Kind::push_among_others || launch.kind == Kind::gather_without) && launch.who == rank;
}

bool uses_array(Launch const& launch, int rank) {
  switch (launch.kind) {
    case Kind::pull_mixed:
      return launch.who >> rank & 1;
    case Kind::pull_unread:
    case Kind::reduce_zero_copy:
      return launch.who != rank;
    case Kind::pull_idle_reader:
      return true;
    default:
      return is_in_place(launch);
  }
}

bool is_in_place(Launch const& launch) {
  return launch.kind == Kind::two_shot_in_place || launch.kind == Kind::one_shot_in_place ||
         launch.kind == Kind::push_direct;
}

void write_body(BlockWriter& block, Launch const& launch) {
  int const who = launch.who, nobody = block.ranks();
  unsigned const all = (1u << block.ranks()) - 1, only = 1u << who, rest = all & ~only;
  switch (launch.kind) {
    case Kind::push_all:
      return push_among_others(block, nobody);
    case Kind::push_unread:
      return push_unread(block, who);
    case Kind::push_plain:
      return push_plain(block);
    case Kind::push_among_others:
      return push_among_others(block, who);
    case Kind::staged_pull:
      return staged_pull(block, nobody);
    case Kind::staged_pull_without:
      return staged_pull(block, who);
    case Kind::broadcast:
      return broadcast(block, who);
    case Kind::reduce_pull:
      return reduce_pull(block, who);
    case Kind::reduce_push:
      return reduce_push(block, who);
    case Kind::gather_without:
      return gather_without(block, who);
    case Kind::two_shot_push:
      return two_shot_push(block, nobody);
    case Kind::two_shot_one_owner:
      return two_shot_push(block, who);
    case Kind::nothing:
      return block.start(Role::empty, 0);
    case Kind::pull_mixed:
      return pull_mixed(block, static_cast<unsigned>(who));
    case Kind::pull_idle_reader:
      return pull_with_idle_reader(block, who);
    case Kind::pull_unread:
      return pull_zero_copy(block, all, rest), exit_zero_copy(block, all, rest);
    case Kind::reduce_zero_copy:
      return pull_zero_copy(block, only, rest), exit_zero_copy(block, only, rest);
    case Kind::two_shot_in_place:
      return two_shot_in_place(block);
    case Kind::one_shot_in_place:
      return one_shot_in_place(block);
    case Kind::borrowed:
      return borrowed(block);
    case Kind::rounds:
      return rounds(block, who);
    case Kind::barrier:
      return barrier(block);
    case Kind::sentinels:
      return sentinels(block, all);
    case Kind::sentinels_to_one:
      return sentinels(block, only);
    case Kind::sentinels_two_shot:
      return sentinels_two_shot(block);
    case Kind::push_exchange:
      return push_exchange(block);
    case Kind::push_scatter:
      return push_rounds(block, false);
    case Kind::push_reduce:
      return push_rounds(block, true);
    case Kind::push_direct:
      return push_direct(block);
    case Kind::count:
      break;
  }
}

}  // namespace Koinon::Impl
