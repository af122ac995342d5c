// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Koinon_ModelMachine.hpp"

namespace Koinon::Impl {
namespace {

bool is_wait(Action action) {
  return action == Action::await_started || action == Action::await_word || action == Action::await_packet ||
         action == Action::await_sentinel;
}

}  // namespace

State Machine::initial(StateLayout const& layout) const {
  State state(layout);
  for (std::size_t i = 0; i < m_program.initial_memory().size(); ++i)
    state.set_memory(static_cast<int>(i), m_program.initial_memory()[i]);
  for (int rank = 0; rank < m_setting.ranks; ++rank) leave_ended_kernels(state, rank);
  return state;
}

bool Machine::has_ended(State& state) const {
  for (int rank = 0; rank < m_setting.ranks; ++rank)
    if (state.kernel(rank) < m_program.kernels(rank).size()) return false;
  return true;
}

void Machine::leave_ended_kernels(State& state, int rank) const {
  auto const& kernels = m_program.kernels(rank);
  for (; state.kernel(rank) < kernels.size(); ++state.kernel(rank)) {
    std::uint8_t const kernel = state.kernel(rank);
    for (int block = 0; block < kernels[kernel].blocks; ++block)
      if (state.pc(rank, block) < kernels[kernel].steps[block].size()) return;
    if (m_setting.late && !m_setting.host) {  // the end of a device kernel waits for its stores
      bool pending = false;
      state.for_pending(rank, [&](int store) { return !(pending = !m_program.stores(rank)[store].step->undrained); });
      if (pending) return;
    }
    for (int block = 0; block < max_blocks; ++block) state.pc(rank, block) = 0;
  }
}

bool Machine::remains(State& state, Access const& access) const {
  std::uint8_t const kernel = state.kernel(access.rank);
  if (access.kernel > kernel || (access.kernel == kernel && access.pc >= state.pc(access.rank, access.block)))
    return true;
  return m_setting.late && access.step->delay >= 0 && state.is_pending(access.rank, access.step->delay);
}

bool Machine::may_land(State& state, int rank, int store) const {
  Access const& mine = m_program.stores(rank)[store];
  bool may = true;
  state.for_pending(rank, [&](int earlier) {
    if (earlier >= store) return false;
    Access const& other = m_program.stores(rank)[earlier];
    bool const same_cell = other.step->cell == mine.step->cell && mine.step->cell >= 0;
    bool const before = other.kernel < mine.kernel || other.block == mine.block;
    if (same_cell || (mine.step->release && before)) may = false;
    return may;
  });
  return may;
}

bool Machine::is_possible(State& state, Move const& move) const {
  if (move.landing >= 0) return may_land(state, move.rank, move.landing);
  Step const& step = *next_step(state, move);
  return !is_wait(step.action) || satisfied(state.memory(step.cell), step);
}

void Machine::apply(State& state, Move const& move) {
  if (move.landing >= 0) {
    state.set_pending(move.rank, move.landing, false);
    land(state, move.rank, *m_program.stores(move.rank)[move.landing].step);
  } else {
    Step const& step = *next_step(state, move);
    ++state.pc(move.rank, move.block);
    if (step.is_store()) {
      m_setting.late ? state.set_pending(move.rank, step.delay, true) : land(state, move.rank, step);
    } else {
      if (step.action == Action::read || step.action == Action::await_packet || step.action == Action::await_sentinel ||
          step.checked)
        expect_content(state, move.rank, step);
      if (step.resets) state.set_memory(step.cell, Value());
    }
  }
  leave_ended_kernels(state, move.rank);
}

void Machine::land(State& state, int rank, Step const& step) {
  if (step.action == Action::clear) {
    for (int region : step.cleared_regions) expect_free(state, rank, step, region);
    for (int cell : step.cleared_cells) {
      expect_word_taken(state, rank, step, cell);
      state.set_memory(cell, Value());
    }
    return;
  }
  if (step.region >= 0) expect_free(state, rank, step, step.region);
  if (step.action == Action::set_word) expect_word_taken(state, rank, step, step.cell);
  state.set_memory(step.cell, step.value());
}

}  // namespace Koinon::Impl
