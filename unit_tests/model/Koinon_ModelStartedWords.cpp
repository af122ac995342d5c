// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Koinon_ModelBlockWriter.hpp"

namespace Koinon::Impl {

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

}  // namespace Koinon::Impl
