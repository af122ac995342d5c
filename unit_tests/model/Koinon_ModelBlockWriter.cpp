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

Place BlockWriter::plain(int owner, int slot) const { return {Area::plain, owner, slot, m_at.block, half()}; }

Place BlockWriter::array(int owner, int chunk) const { return {Area::user, owner, chunk, m_at.block, m_at.launch & 1}; }

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

// ---- started words

void BlockWriter::tell(int destination, int number, bool release) {
  Step told = step(Action::tell, {Area::started, destination, rank()});
  told.number = static_cast<std::uint8_t>(number);
  told.release = release || (m_setting.host && holds(Rule::release_on_started_words));
  put(told);
}

void BlockWriter::tell_all(unsigned data_to) {
  m_told = true;
  if (m_at.block != 0) return;
  for (int peer : m_peers)
    if (holds(Rule::started_word_when_sending) || !(data_to >> peer & 1)) tell(peer, m_at.number, false);
}

void BlockWriter::start(Role role, unsigned data_to) {
  if (m_told) return;
  if (role == Role::only_receives && !holds(Rule::started_word_when_receiving)) return;
  if (role == Role::empty && !holds(Rule::started_word_when_empty)) return;
  if (!holds(Rule::started_word_after_previous_launch) && m_at.launch > 1) return;
  if (!holds(Rule::started_word_first_thing)) {
    m_tell_at_end = true;
    return;
  }
  tell_all(data_to);
}

void BlockWriter::end() {
  if (m_tell_at_end) tell_all(0);
  if (!holds(Rule::started_word_after_previous_launch) && m_at.block == 0)
    for (int peer : m_peers) tell(peer, number_after(m_at.number), false);
}

void BlockWriter::start_at_wrap() {
  bool const clears = holds(Rule::wrap_clear) && m_at.block == 0;
  m_told = m_all_seen = true;
  auto const await_all = [&](int number, bool own) {
    for (int peer : m_peers) await_started(peer, number);
    if (own) await_started(rank(), number);
  };
  auto const clear = [&] {
    Step step;
    step.action = Action::clear;
    step.launch = static_cast<std::uint8_t>(m_at.launch);
    put(step);
  };
  auto const tell_everybody = [&](int number) {
    for (int peer : m_peers) tell(peer, number, holds(Rule::release_at_wrap));
    tell(rank(), number, holds(Rule::release_at_wrap));
  };
  if (!holds(Rule::two_numbers_at_wrap)) {
    if (m_at.block == 0) tell_everybody(m_at.number);
    await_all(m_at.number, true);
    if (clears) clear();
    return;
  }
  if (m_at.block == 0) {
    int const first = number_before(m_at.number, 1, m_setting.start);
    for (int peer : m_peers) tell(peer, first, false);
    if (holds(Rule::wrap_clear_after_all_told)) await_all(first, false);
    if (clears) clear();
    tell_everybody(m_at.number);
  }
  if (m_at.block == 0 || holds(Rule::wrap_every_block_waits)) await_all(m_at.number, holds(Rule::wrap_clear_self_wait));
}

void BlockWriter::await_started(int peer, int number) {
  Step await = step(Action::await_started, {Area::started, rank(), peer});
  await.number = static_cast<std::uint8_t>(number);
  await.compare = !holds(Rule::started_compare_at_least)    ? Compare::equal
                  : !holds(Rule::started_compare_no_window) ? Compare::window
                  : !holds(Rule::started_compare_wrap_safe) ? Compare::plain_at_least
                                                            : Compare::at_least;
  put(await);
}

void BlockWriter::await_all_started() {
  if (m_all_seen) return;
  m_all_seen = true;
  if (m_at.block != 0 && !holds(Rule::every_block_compares)) return;
  for (int peer : m_peers) {
    int const previous = number_before(m_at.number, holds(Rule::first_store_previous_launch) ? 1 : 2, m_setting.start);
    bool const known = m_known[peer] == previous || (m_known[peer] >= 0 && !holds(Rule::known_is_previous_launch));
    bool const uses_known = m_setting.known_peers || !holds(Rule::started_word_when_sending);
    if (!(uses_known && known)) await_started(peer, previous);
  }
}

void BlockWriter::before_store(int destination) {
  if (!holds(Rule::first_store_rule)) return;
  if (!holds(Rule::first_store_own_half) && destination == rank()) return;
  if (!holds(Rule::first_store_all_peers) && destination != rank()) {
    if (!m_all_seen) await_started(destination, number_before(m_at.number, 1, m_setting.start));
    return;
  }
  await_all_started();
}

void BlockWriter::before_word() {
  if (holds(Rule::first_store_rule) && holds(Rule::signal_words_under_first_store_rule)) await_all_started();
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

void BlockWriter::read_array(int owner, int chunk) { put(data_step(Action::read, array(owner, chunk))); }

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
