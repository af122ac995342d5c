// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Koinon_ModelProgram.hpp"

#include <array>
#include <vector>

namespace Koinon::Impl {

/// Says what a rank contributes to a launch.
enum class Role { sends, only_receives, empty };

/// Holds, a peer, the number that came with data from it; -1 if none came.
using PeerNumbers = std::array<int, max_ranks>;

/// Returns where a source's rows lie in an owner's borrowed memory.
Place borrowed_place(Setting const& setting, int owner, int source, int block, int number);

/// Writes the steps of one block in one launch: the words that the bodies in Koinon_ModelLaunches.cpp are made of.
/// Every rule about words, halves and their order is followed, or left out, here.
class BlockWriter {
 public:
  struct Position {
    int rank, block, blocks, launch, number;
  };
  /// @param known what the rank learned from data of the launch before; @param taken what it learns in this one
  BlockWriter(Setting const& setting, Program& program, Position const& at, PeerNumbers const& known,
              PeerNumbers& taken, std::vector<Step>& steps);

  int rank() const { return m_at.rank; }
  int ranks() const { return m_setting.ranks; }
  bool holds(Rule rule) const { return m_setting.rules[rule]; }
  /// Lists the peers, starting after this rank, so that a rotation of all ranks gives the same program.
  std::vector<int> const& peers() const { return m_peers; }
  /// Returns the mask of all peers.
  unsigned others() const { return ((1u << ranks()) - 1) & ~(1u << rank()); }

  /// Stores the started words; `data_to` are the peers that will await data from this block.
  void start(Role role, unsigned data_to);
  /// Runs the barrier and the clearing at the wrap, in place of start().
  void start_at_wrap();
  /// Ends the block's part of the launch.
  void end();

  void push_packet(int destination, int slot, int format = 0);
  void take_packet(int source, int slot, int format = 0);
  /// Stores plain data into a rank's staging, one slot a source.
  void stage(int owner, int slot);
  /// Reads plain data that block `block()` staged, or stored into the owner's staging.
  void read_staged(int owner, int slot);
  void signal(int destination);
  void await_signal(int source);

  /// Signals entry: {number, offset} of this rank's source.
  void signal_entry(int destination);
  void await_entry(int source);
  void signal_exit(int destination);
  /// Waits for the exit words of `readers`, the peers that may read this rank's source.
  void await_exits(std::vector<int> const& readers);
  void read_array(int owner, int chunk);
  void store_result(int owner, int chunk);

  void store_borrowed(int destination);

  /// Announces round `round` (from 1 on), awaits and stores and reads rounds of a staged message.
  void start_round(int round);
  void await_round_started(int peer, int round);
  void store_round(int destination, int round);
  void read_round(int source, int round);

  /// Stores data that is its own flag into a rank's buffer, one slot a source; takes it from the own one and arms that.
  void send_sentinel(int destination, int slot);
  void take_sentinel(int slot);
  void arm_sentinel(int slot);
  /// Says which slots this block has left to the launch after to arm.
  std::vector<Place> const& unarmed() const { return m_unarmed; }
  void arm(Place const& place);

  /// Stores contributions (results) of round `round` into a rank's staging; reads those that came into the own one.
  void push(int destination, bool result, int round);
  void read_pushed(int source, bool result, int round);
  void signal_ready(int round);
  void await_ready(int round);

 private:
  Step step(Action action, Place const& place) const;
  Step data_step(Action action, Place const& place) const;
  void put(Step const& step) { m_steps.push_back(step); }
  void set_word(Area area, int destination, int round, bool release);
  void await_word(Area area, int source, int round, Compare compare, bool checked);
  void tell(int destination, int number, bool release);
  void tell_all(unsigned data_to);
  void await_started(int peer, int number);
  void await_all_started();
  void before_store(int destination);
  void before_word();
  Place word(Area area, int owner, int source) const;
  Place packet(int owner, int slot, int format) const;
  Place plain(int owner, int slot) const;
  Place array(int owner, int chunk) const;
  Place round_part(int owner, int round) const;
  Place sentinel(int owner, int slot) const;
  Place pushed(int owner, int source, bool result, int round) const;
  int half() const;

  Setting const& m_setting;
  Program& m_program;
  Position m_at;
  PeerNumbers const& m_known;
  PeerNumbers& m_taken;
  std::vector<Step>& m_steps;
  std::vector<int> m_peers;
  std::vector<Place> m_unarmed;
  bool m_all_seen = false;
  bool m_told = false;
  bool m_tell_at_end = false;
};

}  // namespace Koinon::Impl
