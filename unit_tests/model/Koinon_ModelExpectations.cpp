// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Koinon_ModelMachine.hpp"

namespace Koinon::Impl {
namespace {

std::string rank_text(int rank, int launch) {
  return "rank " + std::to_string(rank) + " in launch " + std::to_string(launch);
}

std::string content_text(Value value) {
  if (value.is_left_over()) return "a word of the previous cycle of numbers";
  if (value.launch() == 0 || value.is_all_ones()) return "nothing stored yet";
  return "what launch " + std::to_string(value.launch()) + " stored" +
         (value.round() ? " (round or stage " + std::to_string(value.round()) + ")" : "");
}

}  // namespace

void Machine::expect_free(State& state, int rank, Step const& step, int region) {
  bool const older = another_remains(state, m_program.accesses_of_region(region), rank,
                                     [&](Step const& other) { return other.launch < step.launch; });
  bool const earlier =
      step.cell >= 0 && another_remains(state, m_program.accesses_of_cell(step.cell), rank, [&](Step const& other) {
        return other.launch == step.launch && other.round < step.round;
      });
  if (older || earlier)
    m_error = rank_text(rank, step.launch) + " stores into " + m_program.region_text(region) +
              ", where another rank has still to read or write for an " +
              (older ? "older launch" : "earlier round or stage");
}

void Machine::expect_word_taken(State& state, int rank, Step const& step, int cell) {
  bool const awaited = another_remains(state, m_program.accesses_of_cell(cell), rank, [&](Step const& other) {
    if (other.launch >= step.launch) return false;
    if (step.action == Action::clear) return other.action == Action::set_word;
    return other.action == Action::await_word &&
           (other.compare == Compare::equal || other.compare == Compare::equal_and_round);
  });
  if (awaited)
    m_error = rank_text(rank, step.launch) + " overwrites the " + m_program.cell_text(cell) +
              ", which an older launch still needs";
}

void Machine::expect_content(State& state, int rank, Step const& step) {
  Value value = state.memory(step.cell);
  if (m_setting.late)  // a rank sees its own stores before they land
    state.for_pending(rank, [&](int store) {
      Step const& own = *m_program.stores(rank)[store].step;
      if (own.cell == step.cell) value = own.value();
      return true;
    });
  if (value.is_left_over() || value.launch() != step.launch ||
      (step.action == Action::read && value.round() != step.round))
    m_error =
        rank_text(rank, step.launch) + " takes from the " + m_program.cell_text(step.cell) + " " + content_text(value);
}

std::string Machine::text_of_move(State& state, Move const& move) const {
  static constexpr char const* verbs[] = {"tells",  "has seen", "sets", "has seen", "pushes", "takes",
                                          "pushes", "takes",    "arms", "stores",   "reads",  "clears"};
  Access const* const store = move.landing >= 0 ? &m_program.stores(move.rank)[move.landing] : nullptr;
  Step const& step = store ? *store->step : *next_step(state, move);
  std::size_t const kernel = store ? store->kernel : state.kernel(move.rank);
  std::string text = "rank " + std::to_string(move.rank) + " block " + std::to_string(move.block) + ", " +
                     m_program.kernels(move.rank)[kernel].name + ": " + (store ? "(lands) " : "") +
                     verbs[static_cast<int>(step.action)];
  if (step.action == Action::clear) return text + " its packets and words";
  text += " " + m_program.cell_text(step.cell);
  bool const numbered = step.action != Action::read && !step.is_data_store() && step.action != Action::await_sentinel;
  if (numbered) text += ", number " + std::to_string(step.number);
  if (step.round > 0) text += ", round or stage " + std::to_string(step.round);
  return text;
}

std::string Machine::text_of_deadlock(State& state) const {
  std::string text = "deadlock:";
  for (int rank = 0; rank < m_setting.ranks; ++rank)
    for (std::uint8_t block = 0; block < max_blocks; ++block) {
      Step const* const step = next_step(state, {static_cast<std::uint8_t>(rank), block});
      if (step == nullptr) continue;
      text += " [" + rank_text(rank, step->launch) + " awaits number " + std::to_string(step->number) + " in " +
              m_program.cell_text(step->cell) + ", which has " + std::to_string(state.memory(step->cell).number()) +
              "]";
    }
  return text;
}

}  // namespace Koinon::Impl
