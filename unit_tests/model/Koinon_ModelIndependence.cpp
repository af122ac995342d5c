// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Koinon_ModelMachine.hpp"

namespace Koinon::Impl {

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
  auto const is_written_later = [&](Step const& other) {
    return clears(other) || (other.is_data_store() && newer(other));
  };
  auto const region_is_written = [&](Step const& other) {
    return is_written_later(other) ||
           (other.is_data_store() && other.launch == step.launch && other.round > step.round);
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
        return (other.action == Action::set_word || clears(other)) && newer(other);
      });
    case Action::store_packet:
      return !another_remains(state, on_cell(), move.rank, [&](Step const& other) {
        return other.action == Action::await_packet && satisfied(state.memory(step.cell), other);
      }) && !another_remains(state, on_region(), move.rank, region_is_written);
    case Action::store_sentinel:
      return !another_remains(state, on_cell(), move.rank, [&](Step const& other) {
        if (other.action == Action::await_sentinel) return satisfied(state.memory(step.cell), other);
        return other.action == Action::read || (other.is_store() && !state.memory(step.cell).is_all_ones());
      }) && !another_remains(state, on_region(), move.rank, is_written_later);
    case Action::await_sentinel:
      return !another_remains(state, on_region(), move.rank, region_is_written);
    case Action::arm:
      return !another_remains(state, on_cell(), move.rank, [&](Step const& other) { return !newer(other); }) &&
             !another_remains(state, on_region(), move.rank, is_written_later);
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

}  // namespace Koinon::Impl
