// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Koinon_ModelBlockWriter.hpp"

namespace Koinon::Impl {
namespace {

constexpr int second_format_slot = 16;
constexpr int round_slot = 32;

}  // namespace

Place borrowed_place(Setting const& setting, int owner, int source, int block, int number) {
  if (setting.rules[Rule::borrowed_outside_halves]) return {Area::borrowed, owner, source, block};
  return {Area::plain, owner, source, block, number & 1};
}

BlockWriter::BlockWriter(Setting const& setting, Program& program, Position const& at, PeerNumbers const& known,
                         PeerNumbers& taken, std::vector<Step>& steps)
    : m_setting(setting), m_program(program), m_at(at), m_known(known), m_taken(taken), m_steps(steps) {
  for (int i = 1; i < ranks(); ++i) m_peers.push_back((rank() + i) % ranks());
}

// ---- places

int BlockWriter::half() const {
  if (!holds(Rule::two_halves)) return 0;
  return holds(Rule::half_by_parity) ? m_at.number & 1 : m_at.number % 3;
}

Place BlockWriter::word(Area area, int owner, int source) const {
  int const block = holds(Rule::signal_words_per_block) ? m_at.block : 0;
  return {area, owner, source, block, holds(Rule::two_slots_signal_words) ? m_at.number & 1 : 0};
}

Place BlockWriter::packet(int owner, int slot, int format) const {
  Area const area = holds(Rule::packets_separate_from_plain) ? Area::packet : Area::plain;
  if (holds(Rule::one_packet_format)) format = 0;
  return {area, owner, slot + format * second_format_slot, m_at.block, half()};
}

Place BlockWriter::plain(int owner, int slot) const {
  return {Area::plain, owner, slot, m_at.block, half()};
}

Place BlockWriter::array(int owner, int chunk) const {
  return {Area::user, owner, chunk, m_at.block, m_at.launch & 1};
}

Place BlockWriter::round_part(int owner, int round) const {
  return plain(owner, round_slot + (holds(Rule::rounds_alternate_parts) ? round & 1 : 0));
}

// ---- steps

Step BlockWriter::step(Action action, Place const& place) const {
  Step step;
  step.action = action;
  step.cell = m_program.cell(place);
  step.number = static_cast<std::uint8_t>(m_at.number);
  step.launch = static_cast<std::uint8_t>(m_at.launch);
  return step;
}

Step BlockWriter::data_step(Action action, Place const& place) const {
  Step data = step(action, place);
  data.region = m_program.region(place);
  return data;
}

void BlockWriter::set_word(Area area, int destination, int round, bool release) {
  bool const per_block = area == Area::round ? holds(Rule::round_words_per_block) : holds(Rule::signal_words_per_block);
  if (!per_block && m_at.block != 0) return;
  Place place = word(area, destination, rank());
  if (!per_block) place.block = 0;
  Step set = step(Action::set_word, place);
  set.round = static_cast<std::uint8_t>(round);
  set.release = release;
  put(set);
}

void BlockWriter::await_word(Area area, int source, int round, Compare compare, bool checked) {
  Place place = word(area, rank(), source);
  if (area == Area::round && !holds(Rule::round_words_per_block)) place.block = 0;
  Step await = step(Action::await_word, place);
  await.round = static_cast<std::uint8_t>(round);
  await.compare = compare;
  await.checked = checked;
  await.resets = compare == Compare::flag;
  put(await);
  // Round words are relaxed: they do not say that the peer's stores of launch k - 2 have landed.
  if (area != Area::round || !holds(Rule::known_by_releases_only)) m_taken[source] = m_at.number;
}

// ---- packets, staging, signals

void BlockWriter::push_packet(int destination, int slot, int format) {
  before_store(destination);
  if (format != 0 && !holds(Rule::one_packet_format)) {
    Step payload = data_step(Action::store, packet(destination, slot % ranks(), 0));
    payload.payload = true;
    put(payload);
  }
  Step push = data_step(Action::store_packet, packet(destination, slot, format));
  push.release = m_setting.host && holds(Rule::release_on_packets);
  put(push);
}

void BlockWriter::take_packet(int source, int slot, int format) {
  put(data_step(Action::await_packet, packet(rank(), slot, format)));
  m_taken[source] = m_at.number;
}

void BlockWriter::stage(int owner, int slot) {
  before_store(owner);
  Step store = data_step(Action::store, plain(owner, slot));
  store.payload = !holds(Rule::packets_separate_from_plain);
  put(store);
}

void BlockWriter::read_staged(int owner, int slot) {
  Place place = plain(owner, slot);
  if (!holds(Rule::block_wise_staging_reads)) place.block = (m_at.block + 1) % m_at.blocks;
  put(data_step(Action::read, place));
}

void BlockWriter::signal(int destination) {
  before_word();
  set_word(Area::signal, destination, 0, holds(Rule::release_on_signals));
}

void BlockWriter::await_signal(int source) {
  Compare const compare = holds(Rule::signal_words_compare_equal) ? Compare::equal : Compare::at_least;
  await_word(Area::signal, source, 0, compare, false);
}

// ---- zero-copy arrays

void BlockWriter::signal_entry(int destination) {
  before_word();
  if (!holds(Rule::offset_and_number_in_one_word)) set_word(Area::offset, destination, 0, false);
  set_word(Area::entry, destination, 0, holds(Rule::release_on_signals) && holds(Rule::offset_and_number_in_one_word));
}

void BlockWriter::await_entry(int source) {
  if (!holds(Rule::entry_words)) return;
  Compare const compare = holds(Rule::signal_words_compare_equal) ? Compare::equal : Compare::at_least;
  bool const one_word = holds(Rule::offset_and_number_in_one_word);
  await_word(Area::entry, source, 0, compare, one_word);
  if (!one_word) put(step(Action::read, word(Area::offset, rank(), source)));
}

void BlockWriter::signal_exit(int destination) {
  if (!holds(Rule::exit_words)) return;
  before_word();
  set_word(Area::exit, destination, 0, holds(Rule::release_on_exits));
}

void BlockWriter::await_exits(std::vector<int> const& readers) {
  if (!holds(Rule::exit_words)) return;
  Compare compare = holds(Rule::signal_words_compare_equal) ? Compare::equal : Compare::at_least;
  if (!holds(Rule::exit_words_carry_number)) compare = Compare::flag;
  for (int reader : readers) {
    await_word(Area::exit, reader, 0, compare, false);
    if (!holds(Rule::exit_for_all_zero_copy_sources)) return;
  }
}

void BlockWriter::read_array(int owner, int chunk) {
  put(data_step(Action::read, array(owner, chunk)));
}

void BlockWriter::store_result(int owner, int chunk) {
  Step result = data_step(Action::store, array(owner, chunk));
  result.round = 1;
  put(result);
}

void BlockWriter::store_borrowed(int destination) {
  if (holds(Rule::entry_barrier_borrowed)) {
    bool const this_launch = holds(Rule::borrowed_awaits_this_launch);
    await_started(destination, this_launch ? m_at.number : number_before(m_at.number, 1, m_setting.start));
  }
  put(data_step(Action::store, borrowed_place(m_setting, destination, rank(), m_at.block, m_at.number)));
}

// ---- rounds

void BlockWriter::start_round(int round) {
  before_word();
  for (int peer : m_peers) set_word(Area::round, peer, round, false);
}

void BlockWriter::await_round_started(int peer, int round) {
  if (!holds(Rule::round_words)) return;
  bool const numbered = holds(Rule::round_words_carry_number);
  await_word(Area::round, peer, round, numbered ? Compare::equal_and_round : Compare::round_only, false);
}

void BlockWriter::store_round(int destination, int round) {
  before_store(destination);
  Step store = data_step(Action::store, round_part(destination, round));
  store.round = static_cast<std::uint8_t>(round);
  store.payload = !holds(Rule::packets_separate_from_plain);
  put(store);
  set_word(Area::round_data, destination, round, holds(Rule::release_on_signals));
}

void BlockWriter::read_round(int source, int round) {
  await_word(Area::round_data, source, round, Compare::equal_and_round, false);
  Step read = data_step(Action::read, round_part(rank(), round));
  read.round = static_cast<std::uint8_t>(round);
  put(read);
}

}  // namespace Koinon::Impl
