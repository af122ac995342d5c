// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Koinon_ModelMachine.hpp"

namespace Koinon::Impl {
namespace {

bool is_wait(Action action) {
  return action == Action::await_started || action == Action::await_word || action == Action::await_packet;
}
bool is_word_store(Action action) {
  return action == Action::set_word || action == Action::clear;
}
bool is_data_store(Action action) {
  return action == Action::store || action == Action::store_packet || action == Action::clear;
}

}  // namespace

State Machine::initial(StateLayout const& layout) const {
  State state(layout);
  for (std::size_t i = 0; i < m_program.initial_memory().size(); ++i)
    state.set_memory(static_cast<int>(i), m_program.initial_memory()[i]);
  for (int rank = 0; rank < m_setting.ranks; ++rank) leave_ended_kernels(state, rank);
  return state;
}

Step const* Machine::next_step(State& state, Move const& move) const {
  auto const& kernels = m_program.kernels(move.rank);
  std::size_t const kernel = state.kernel(move.rank);
  if (kernel >= kernels.size() || move.block >= kernels[kernel].blocks) return nullptr;
  auto const& steps = kernels[kernel].steps[move.block];
  std::size_t const pc = state.pc(move.rank, move.block);
  return pc < steps.size() ? &steps[pc] : nullptr;
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
      state.for_pending(rank, [&](int) { return !(pending = true); });
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

// Each case names the steps of others that do not commute with the move; if none of them is left, the move can come
// first.
bool Machine::is_independent(State& state, Move const& move) const {
  bool const lands = move.landing >= 0 || !m_setting.late;
  Step const& step = move.landing >= 0 ? *m_program.stores(move.rank)[move.landing].step : *next_step(state, move);
  if (step.is_store() && !lands) return true;
  auto const newer = [&](Step const& other) { return other.launch > step.launch; };
  auto const clears = [&](Step const& other) { return other.action == Action::clear; };
  auto const& on_cell = [&]() -> auto const& {
    return m_program.accesses_of_cell(step.cell);
  };
  auto const& on_region = [&]() -> auto const& {
    return m_program.accesses_of_region(step.region);
  };
  auto const region_is_written = [&](Step const& other) {
    return is_data_store(other.action) &&
           (newer(other) || clears(other) || (other.launch == step.launch && other.round > step.round));
  };
  switch (step.action) {
    case Action::tell:
      return !another_remains(state, on_cell(), move.rank, [&](Step const& other) {
        return clears(other) || (other.action == Action::await_started && satisfied(state.memory(step.cell), other) &&
                                 !satisfied(Value(step.number, step.launch, 0), other));
      });
    case Action::await_started:
      return !another_remains(state, on_cell(), move.rank, [&](Step const& other) {
        return clears(other) ||
               (other.action == Action::tell && !satisfied(Value(other.number, other.launch, 0), step));
      });
    case Action::set_word:
      return !another_remains(state, on_cell(), move.rank, [&](Step const& other) {
        return clears(other) || other.action == Action::read ||
               (other.action == Action::await_word && satisfied(state.memory(step.cell), other));
      });
    case Action::await_word:
      return !step.resets && !another_remains(state, on_cell(), move.rank, [&](Step const& other) {
        return is_word_store(other.action) && newer(other);
      });
    case Action::store_packet:
      return !another_remains(state, on_cell(), move.rank, [&](Step const& other) {
        return other.action == Action::await_packet && satisfied(state.memory(step.cell), other);
      }) && !another_remains(state, on_region(), move.rank, region_is_written);
    case Action::store:
      return !another_remains(state, on_cell(), move.rank, [](Step const& other) {
        return other.action == Action::read || other.action == Action::await_packet;
      }) && !another_remains(state, on_region(), move.rank, region_is_written);
    case Action::await_packet:
      return !another_remains(state, on_region(), move.rank, region_is_written);
    case Action::read:
      return step.region >= 0 && !another_remains(state, on_region(), move.rank, region_is_written);
    case Action::clear:
      return false;
  }
  return false;
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
      if (step.action == Action::read || step.action == Action::await_packet || step.checked)
        expect_content(state, move.rank, step);
      if (step.resets) state.set_memory(step.cell, Value());
    }
  }
  leave_ended_kernels(state, move.rank);
}

void Machine::settle(State& state, std::function<void(Move const&)> const& seen) {
  auto const try_move = [&](Move const& move) {
    if (!is_possible(state, move) || !is_independent(state, move)) return false;
    if (seen) seen(move);
    apply(state, move);
    return true;
  };
  for (bool moved = true; moved && m_error.empty();) {
    moved = false;
    for (int rank = 0; rank < m_setting.ranks; ++rank) {
      for (std::uint8_t block = 0; block < max_blocks; ++block) {
        Move const move{static_cast<std::uint8_t>(rank), block};
        while (m_error.empty() && next_step(state, move) != nullptr && try_move(move)) moved = true;
      }
      state.for_pending(rank, [&](int store) {
        Move const move{static_cast<std::uint8_t>(rank), m_program.stores(rank)[store].block,
                        static_cast<std::int16_t>(store)};
        if (m_error.empty() && try_move(move)) moved = true;
        return m_error.empty();
      });
    }
  }
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
  Value const value(step.number, step.launch, step.round);
  state.set_memory(step.cell, step.payload ? value.as_payload() : value);
}

}  // namespace Koinon::Impl
