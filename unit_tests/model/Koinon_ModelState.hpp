// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Koinon_ModelProgram.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace Koinon::Impl {

/// Says where the parts of a state lie in its 8-byte words: positions of the ranks, stores that have not landed,
/// memory.
class StateLayout {
 public:
  StateLayout(Setting const& setting, Program const& program) {
    std::size_t stores = 0;
    for (int rank = 0; rank < setting.ranks; ++rank) stores = std::max(stores, program.stores(rank).size());
    m_pending_words = setting.late ? (stores + 63) / 64 : 0;
    m_memory = (position_bytes + 7) / 8 + m_pending_words * setting.ranks;
    m_words = m_memory + (program.initial_memory().size() + 3) / 4;
  }
  std::size_t words() const { return m_words; }
  std::size_t pending_words() const { return m_pending_words; }
  std::size_t pending(int rank) const { return (position_bytes + 7) / 8 + m_pending_words * rank; }
  std::size_t memory() const { return m_memory; }

 private:
  static constexpr std::size_t position_bytes = max_ranks * (1 + max_blocks);
  std::size_t m_pending_words, m_memory, m_words;
};

/// Is one state of all ranks and of their memory.
class State {
 public:
  explicit State(StateLayout const& layout) : m_layout(&layout), m_words(layout.words(), 0) {}

  std::uint8_t& kernel(int rank) { return bytes()[rank]; }
  std::uint8_t& pc(int rank, int block) { return bytes()[max_ranks + rank * max_blocks + block]; }
  Value memory(int cell) const {
    std::uint16_t bits;
    std::memcpy(&bits, reinterpret_cast<char const*>(m_words.data() + m_layout->memory()) + 2 * cell, sizeof bits);
    return Value::from_bits(bits);
  }
  void set_memory(int cell, Value value) {
    std::uint16_t const bits = value.bits();
    std::memcpy(reinterpret_cast<char*>(m_words.data() + m_layout->memory()) + 2 * cell, &bits, sizeof bits);
  }
  bool is_pending(int rank, int store) const {
    return m_words[m_layout->pending(rank) + store / 64] >> (store % 64) & 1;
  }
  void set_pending(int rank, int store, bool pending) {
    std::uint64_t& word = m_words[m_layout->pending(rank) + store / 64];
    std::uint64_t const bit = std::uint64_t{1} << (store % 64);
    word = pending ? word | bit : word & ~bit;
  }
  /// Calls `visit(store)` for every store of the rank that has not landed, in program order, until it returns false.
  template <class Visit>
  void for_pending(int rank, Visit const& visit) const {
    for (std::size_t i = 0; i < m_layout->pending_words(); ++i)
      for (std::uint64_t word = m_words[m_layout->pending(rank) + i]; word != 0; word &= word - 1)
        if (!visit(static_cast<int>(64 * i) + __builtin_ctzll(word))) return;
  }
  std::vector<std::uint64_t>& words() { return m_words; }

 private:
  std::uint8_t* bytes() { return reinterpret_cast<std::uint8_t*>(m_words.data()); }

  StateLayout const* m_layout;
  std::vector<std::uint64_t> m_words;
};

/// Keeps every state seen, numbered in the order of their coming.
class StateStore {
 public:
  explicit StateStore(std::size_t words) : m_words(words), m_table(1 << 10, empty) {}

  std::size_t size() const { return m_size; }
  void load(std::size_t index, State& state) const {
    std::memcpy(state.words().data(), &m_pool[index * m_words], m_words * sizeof(std::uint64_t));
  }
  /// Returns whether the state is one not seen before.
  bool insert(State& state) {
    if (2 * m_size > m_table.size()) grow();
    std::uint64_t const* const words = state.words().data();
    std::size_t slot = hash(words) & (m_table.size() - 1);
    for (; m_table[slot] != empty; slot = (slot + 1) & (m_table.size() - 1))
      if (std::memcmp(&m_pool[m_table[slot] * m_words], words, m_words * sizeof(std::uint64_t)) == 0) return false;
    m_table[slot] = static_cast<std::uint32_t>(m_size++);
    m_pool.insert(m_pool.end(), words, words + m_words);
    return true;
  }

 private:
  static constexpr std::uint32_t empty = ~0u;

  std::size_t hash(std::uint64_t const* words) const {
    std::uint64_t hash = 0x9E3779B97F4A7C15ull;
    for (std::size_t i = 0; i < m_words; ++i) {
      hash = (hash ^ words[i]) * 0xD6E8FEB86659FD93ull;
      hash ^= hash >> 32;
    }
    return hash;
  }
  void grow() {
    std::vector<std::uint32_t> table(m_table.size() * 4, empty);
    for (std::size_t i = 0; i < m_size; ++i) {
      std::size_t slot = hash(&m_pool[i * m_words]) & (table.size() - 1);
      while (table[slot] != empty) slot = (slot + 1) & (table.size() - 1);
      table[slot] = static_cast<std::uint32_t>(i);
    }
    m_table.swap(table);
  }

  std::size_t m_words, m_size = 0;
  std::vector<std::uint64_t> m_pool;
  std::vector<std::uint32_t> m_table;
};

}  // namespace Koinon::Impl
