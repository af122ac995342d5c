// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Koinon_ModelNumbers.hpp"
#include "Koinon_ModelRules.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace Koinon::Impl {

inline constexpr int max_ranks = 3;
inline constexpr int max_blocks = 2;

/// Gathers what a search is about, apart from the sequence of launches.
struct Setting {
  RuleSet rules;
  int ranks = 2;
  int start = 0;               ///< number of the launch before the first one
  bool left_overs = false;     ///< words and packets of the previous cycle of numbers lie in memory
  bool late = false;           ///< stores land late, in any order that releases and coherence allow
  bool host = false;           ///< with late: the end of a launch drains nothing
  bool known_peers = false;    ///< a block does not read the started word of a peer whose data of launch k - 1 it took
  bool clears_at_wrap = true;  ///< false: the number after the last is 4, without the barrier and the clearing
};

enum class Area : std::uint8_t {
  started,
  signal,
  entry,
  offset,
  exit,
  round,
  round_data,
  ready,
  packet,
  sentinel,
  plain,
  user,
  borrowed
};

/// Names a memory cell, or with `whole` a region: the bytes that one launch may use at will.
struct Place {
  Area area;
  int owner;
  int source = 0;  ///< who stores it, or the slot of a packet, or the chunk of an array
  int block = 0;
  int part = 0;  ///< half of staging, slot of a word
  bool whole = false;
};

enum class Action : std::uint8_t {
  tell,
  await_started,
  set_word,
  await_word,
  store_packet,
  await_packet,
  store_sentinel,
  await_sentinel,
  arm,
  store,
  read,
  clear
};

/// Is one step of a block. A wait passes when its cell satisfies {compare, number, round}; a read or a packet's wait
/// then expects what launch `launch` stored in round `round`.
struct Step {
  Action action = Action::read;
  Compare compare = Compare::equal;
  std::int16_t cell = -1;
  std::int16_t region = -1;
  std::uint8_t number = 0;
  std::uint8_t launch = 0;
  std::uint8_t round = 0;
  bool release = false;     ///< lands after all stores before it: its block's, and every block's of earlier launches
  bool checked = false;     ///< await_word: the word's content (an offset) is used, so its true writer matters
  bool payload = false;     ///< store: bytes that waits may mistake for a flag
  bool resets = false;      ///< await_word: sets the word back to 0
  bool all_ones = false;    ///< store_sentinel: the data is no data to its reader
  bool undrained = false;   ///< stores: the end of a kernel does not wait for it
  std::int16_t delay = -1;  ///< stores: index among the rank's stores
  std::vector<std::int16_t> cleared_cells, cleared_regions;

  bool is_store() const {
    return action == Action::tell || action == Action::set_word || action == Action::clear || is_data_store();
  }
  bool is_data_store() const {
    return action == Action::store_packet || action == Action::store_sentinel || action == Action::arm ||
           action == Action::store;
  }
  /// Returns what the store leaves in its cell.
  Value value() const {
    if (action == Action::arm || all_ones) return Value::all_ones();
    Value const plain(number, launch, round);
    return payload ? plain.as_payload() : plain;
  }
};

/// Is what one launch, or a user's kernel between two launches, does on one rank.
struct Kernel {
  std::string name;
  int blocks = 1;
  std::array<std::vector<Step>, max_blocks> steps;
};

/// Is a step seen from the memory that it touches.
struct Access {
  std::uint8_t rank, kernel, block, pc;
  Step const* step;
};

/// Holds the steps of all ranks for one sequence of launches, and the memory that they touch.
class Program {
 public:
  explicit Program(Setting const& setting) : m_setting(setting) {}
  Program(Program&&) = default;

  std::int16_t cell(Place const& place);
  std::int16_t region(Place place);
  /// Adds a kernel at the end of the rank's sequence.
  Kernel& add_kernel(int rank, std::string name, int blocks);
  /// Fills the tables below. @pre all steps are there
  void finish();

  std::vector<Kernel> const& kernels(int rank) const { return m_kernels[rank]; }
  /// Returns the block's step of that place, null behind its last one or behind the last kernel.
  Step const* step(int rank, std::size_t kernel, std::size_t block, std::size_t pc) const {
    Steps const& steps = m_steps[rank][kernel * max_blocks + block];
    return pc < steps.count ? steps.first + pc : nullptr;
  }
  std::vector<Value> const& initial_memory() const { return m_initial; }
  std::vector<Access> const& accesses_of_cell(int cell) const { return m_cell_accesses[cell]; }
  std::vector<Access> const& accesses_of_region(int region) const { return m_region_accesses[region]; }
  /// Lists the rank's stores in program order, by Step::delay.
  std::vector<Access> const& stores(int rank) const { return m_stores[rank]; }
  Place const& place_of_cell(int cell) const { return m_cells[cell]; }
  std::string cell_text(int cell) const { return text(m_cells[cell]); }
  std::string region_text(int region) const { return text(m_regions[region]); }

 private:
  struct Steps {
    Step const* first = nullptr;
    std::size_t count = 0;
  };
  Value initial_value(Place const& place) const;
  void fill_clear_list(int rank, Step& step) const;
  static std::string text(Place const& place);

  Setting m_setting;
  std::array<std::vector<Kernel>, max_ranks> m_kernels;
  std::unordered_map<std::uint32_t, std::int16_t> m_cell_index, m_region_index;
  std::vector<Place> m_cells, m_regions;
  std::vector<Value> m_initial;
  std::vector<std::vector<Access>> m_cell_accesses, m_region_accesses;
  std::array<std::vector<Access>, max_ranks> m_stores;
  std::array<std::vector<Steps>, max_ranks> m_steps;  // by kernel and block: the searches' innermost look
};

}  // namespace Koinon::Impl
