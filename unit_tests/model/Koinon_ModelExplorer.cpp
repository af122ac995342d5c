// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Koinon_ModelExplorer.hpp"

#include "Koinon_ModelMachine.hpp"

#include <algorithm>

namespace Koinon::Impl {
namespace {

class Explorer {
 public:
  Explorer(Setting const& setting, Sequence const& sequence, bool reduced)
      : m_program(make_program(setting, sequence)),
        m_layout(setting, m_program),
        m_machine(setting, m_program),
        m_store(m_layout.words()),
        m_reduced(reduced) {}

  Outcome run(std::size_t most_states) {
    Outcome outcome;
    outcome.sequences = 1;
    State current = m_machine.initial(m_layout);
    if (m_reduced) m_machine.settle(current);
    m_store.insert(current);
    m_arrivals.push_back({0, {}});
    if (!m_machine.error().empty()) fail(outcome, {});
    for (std::size_t i = 0; i < m_store.size() && outcome.error.empty() && !outcome.limited; ++i) {
      m_store.load(i, current);
      expand(i, current, outcome);
      outcome.limited = outcome.error.empty() && m_store.size() > most_states;
    }
    outcome.states = outcome.most_states = m_store.size();
    return outcome;
  }

 private:
  struct Arrival {
    std::uint32_t from;
    Move move;
  };

  void expand(std::size_t index, State& current, Outcome& outcome) {
    bool any = false;
    State next = current;
    m_machine.for_moves(current, [&](Move const& move) {
      if (!outcome.error.empty()) return;
      any = true;
      next = current;
      m_machine.apply(next, move);
      if (m_reduced) m_machine.settle(next);
      if (!m_machine.error().empty()) {
        std::vector<Move> path = path_to(index);
        path.push_back(move);
        fail(outcome, path);
      } else if (m_store.insert(next)) {
        m_arrivals.push_back({static_cast<std::uint32_t>(index), move});
      }
    });
    if (any || m_machine.has_ended(current)) return;
    fail(outcome, path_to(index), m_machine.text_of_deadlock(current));
  }

  std::vector<Move> path_to(std::size_t index) const {
    std::vector<Move> path;
    for (; index != 0; index = m_arrivals[index].from) path.push_back(m_arrivals[index].move);
    std::reverse(path.begin(), path.end());
    return path;
  }

  void fail(Outcome& outcome, std::vector<Move> const& path, std::string const& deadlock = {}) {
    outcome.error = deadlock.empty() ? m_machine.error() : deadlock;
    m_machine.forget_error();
    State state = m_machine.initial(m_layout);
    auto const note = [&](Move const& move) { outcome.trace.push_back(m_machine.text_of_move(state, move)); };
    if (m_reduced) m_machine.settle(state, note);
    for (Move const& move : path) {
      note(move);
      m_machine.apply(state, move);
      if (m_reduced) m_machine.settle(state, note);
    }
  }

  Program m_program;
  StateLayout m_layout;
  Machine m_machine;
  StateStore m_store;
  bool m_reduced;
  std::vector<Arrival> m_arrivals;
};

}  // namespace

Outcome explore(Setting const& setting, Sequence const& sequence, std::size_t most_states, bool reduced) {
  return Explorer(setting, sequence, reduced).run(most_states);
}

}  // namespace Koinon::Impl
