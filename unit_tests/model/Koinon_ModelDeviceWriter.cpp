// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Koinon_ModelBlockWriter.hpp"

namespace Koinon::Impl {
namespace {

constexpr int second_access_slot = 32;
constexpr int pushed_slot = 40;

Place second_access(Place place) {
  place.source += second_access_slot;
  return place;
}

}  // namespace

// ---- sentinels

Place BlockWriter::sentinel(int owner, int slot) const {
  Area const area = holds(Rule::sentinels_apart) ? Area::sentinel : Area::packet;
  return {area, owner, slot, m_at.block, holds(Rule::sentinels_two_halves) ? half() : 0};
}

void BlockWriter::arm(Place const& place) {
  Step step = data_step(Action::arm, place);
  step.round = 7;  // after all that the launch does with the slot
  step.undrained = !holds(Rule::sentinels_armed_before_end);
  put(step);
}

void BlockWriter::send_sentinel(int destination, int slot) {
  if (holds(Rule::sentinels_under_first_store_rule)) before_store(destination);
  Place const place = sentinel(destination, slot);
  if (!holds(Rule::sentinels_armed_by_reader)) arm(place);
  Step step = data_step(Action::store_sentinel, place);
  step.all_ones = !holds(Rule::sentinels_never_sent);
  put(step);
  if (!holds(Rule::sentinels_one_access)) put(data_step(Action::store_sentinel, second_access(place)));
}

void BlockWriter::take_sentinel(int slot) {
  Step step = data_step(Action::await_sentinel, sentinel(rank(), slot));
  step.compare = Compare::data;
  put(step);
  if (!holds(Rule::sentinels_one_access)) put(data_step(Action::read, second_access(sentinel(rank(), slot))));
  m_taken[slot % max_ranks] = m_at.number;
}

void BlockWriter::arm_sentinel(int slot) {
  if (!holds(Rule::sentinels_armed_again) || !holds(Rule::sentinels_armed_by_reader)) return;
  if (!holds(Rule::sentinels_armed_in_their_launch)) return m_unarmed.push_back(sentinel(rank(), slot));
  arm(sentinel(rank(), slot));
}

// ---- pushes

Place BlockWriter::pushed(int owner, int source, bool result, int round) const {
  int const part = holds(Rule::pushes_alternate_parts) ? round & 1 : 0;
  bool const apart = result && holds(Rule::pushed_results_apart);
  return plain(owner, pushed_slot + (part * 2 + (apart ? 1 : 0)) * max_ranks + source);
}

void BlockWriter::push(int destination, bool result, int round) {
  before_store(destination);
  Step step = data_step(Action::store, pushed(destination, rank(), result, round));
  step.round = static_cast<std::uint8_t>(round + (result ? 2 : 1));
  step.payload = !holds(Rule::packets_separate_from_plain);
  put(step);
}

void BlockWriter::read_pushed(int source, bool result, int round) {
  Step step = data_step(Action::read, pushed(rank(), source, result, round));
  step.round = static_cast<std::uint8_t>(round + (result ? 2 : 1));
  put(step);
}

void BlockWriter::signal_ready(int round) {
  before_word();
  for (int peer : m_peers) set_word(Area::ready, peer, round, holds(Rule::release_on_ready));
}

void BlockWriter::await_ready(int round) {
  if (!holds(Rule::ready_words)) return;
  bool const numbered = holds(Rule::ready_words_carry_number);
  for (int peer : m_peers)
    await_word(Area::ready, peer, round, numbered ? Compare::equal_and_round : Compare::round_only, false);
}

}  // namespace Koinon::Impl
