// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Koinon_ModelProgram.hpp"
#include "Koinon_ModelState.hpp"

#include <functional>
#include <string>

namespace Koinon::Impl {

/// Is one transition: the next step of a block, or the landing of an earlier store.
struct Move {
  std::uint8_t rank = 0, block = 0;
  std::int16_t landing = -1;  ///< Step::delay of the store that lands; -1: the block's next step
};

/// Gives the steps their meaning. It reports an error
/// - when a rank takes or reads what another launch (or nobody) wrote,
/// - when a store goes to bytes, or to a word, that an older launch has still to read or write,
/// so a conflict is found from any state in which it can still happen, not only in the order that shows it.
class Machine {
 public:
  Machine(Setting const& setting, Program const& program) : m_setting(setting), m_program(program) {}

  State initial(StateLayout const& layout) const;
  bool is_possible(State& state, Move const& move) const;
  /// Does the move and leaves kernels that have ended.
  void apply(State& state, Move const& move);
  /// Does every move that no other move can influence or be influenced by, in any order: doing it at once loses no
  /// behavior. `seen` is called before each.
  void settle(State& state, std::function<void(Move const&)> const& seen = {});
  /// Calls `visit` with every possible move.
  template <class Visit>
  void for_moves(State& state, Visit const& visit) const {
    for (int rank = 0; rank < m_setting.ranks; ++rank) {
      state.for_pending(rank, [&](int store) {
        Move const move{static_cast<std::uint8_t>(rank), m_program.stores(rank)[store].block,
                        static_cast<std::int16_t>(store)};
        if (is_possible(state, move)) visit(move);
        return true;
      });
      for (std::uint8_t block = 0; block < max_blocks; ++block) {
        Move const move{static_cast<std::uint8_t>(rank), block};
        if (next_step(state, move) != nullptr && is_possible(state, move)) visit(move);
      }
    }
  }
  bool has_ended(State& state) const;
  /// Returns the step of the block that the move names, null at its end.
  Step const* next_step(State& state, Move const& move) const {
    return m_program.step(move.rank, state.kernel(move.rank), move.block, state.pc(move.rank, move.block));
  }
  std::string const& error() const { return m_error; }
  void forget_error() { m_error.clear(); }
  std::string text_of_move(State& state, Move const& move) const;
  /// Says what every rank waits for.
  std::string text_of_deadlock(State& state) const;

 private:
  bool is_independent(State& state, Move const& move) const;
  bool remains(State& state, Access const& access) const;
  bool satisfied(Value value, Step const& step) const {
    return value.satisfies(step.compare, step.number, step.round, m_setting.left_overs ? m_setting.start : 0);
  }
  bool may_land(State& state, int rank, int store) const;
  void land(State& state, int rank, Step const& step);
  void expect_free(State& state, int rank, Step const& step, int region);
  void expect_word_taken(State& state, int rank, Step const& step, int cell);
  void expect_content(State& state, int rank, Step const& step);
  void leave_ended_kernels(State& state, int rank) const;
  template <class Predicate>
  bool another_remains(State& state, std::vector<Access> const& accesses, int rank, Predicate const& predicate) const {
    for (Access const& access : accesses)
      if (access.rank != rank && predicate(*access.step) && remains(state, access)) return true;
    return false;
  }

  Setting const& m_setting;
  Program const& m_program;
  std::string m_error;
};

}  // namespace Koinon::Impl
