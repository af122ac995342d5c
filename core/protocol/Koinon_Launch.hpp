// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <protocol/Koinon_DeviceCommunicator.hpp>
#include <protocol/Koinon_LaunchNumber.hpp>
#include <protocol/Koinon_Order.hpp>

#include <cstddef>
#include <cstdint>

namespace Koinon::Impl {

/// Waits until ready() holds, for the sake of `peer`. Returns false when the backend's patience ends (deadline, a dead
/// or failed rank, an abort), which it has then recorded: the block stores nothing more and returns.
template <class Block, class Ready>
[[nodiscard]] KOINON_FORCE_INLINE bool wait_until(Block const&, DeviceCommunicator const& comm, LaunchNumber number,
                                                  int peer, Ready&& ready) {
  if (ready()) return true;
  typename Block::Patience patience;
  do {
    if (!patience.more(comm, number, peer)) return false;
  } while (!ready());
  return true;
}

/// Is one block's part in one launch: its number, and the rules that every launch keeps whatever it does.
///
/// `run` (Koinon_Run.hpp) enters, calls the body, and finishes.
template <class Block>
class Launch {
 public:
  KOINON_FORCE_INLINE Launch(Block const& block, DeviceCommunicator const& comm)
      : m_block(block), m_comm(comm), m_number(next_launch_number(comm.m_numbers[block.index()])) {}

  [[nodiscard]] KOINON_FORCE_INLINE Block const& block() const { return m_block; }
  [[nodiscard]] KOINON_FORCE_INLINE DeviceCommunicator const& comm() const { return m_comm; }
  [[nodiscard]] KOINON_FORCE_INLINE LaunchNumber number() const { return m_number; }
  [[nodiscard]] KOINON_FORCE_INLINE int half() const { return half_of(m_number); }
  [[nodiscard]] KOINON_FORCE_INLINE int rank() const { return m_comm.rank(); }
  [[nodiscard]] KOINON_FORCE_INLINE int size() const { return m_comm.size(); }
  /// Returns the i-th peer to turn to, i in [1, size): each rank starts with its right neighbour, so that ranks do not
  /// all address the same peer at the same time.
  [[nodiscard]] KOINON_FORCE_INLINE int peer(int i) const {
    int const p = m_comm.rank() + i;
    return p < m_comm.size() ? p : p - m_comm.size();
  }

  /// Tells every peer that this launch has started; in the launch after 2^32 - 1 clears the words behind a barrier.
  /// The started word is written by every launch of every rank, whatever it sends: a word not rewritten would look
  /// ahead after 2^31 launches. Its release covers the reads of all launches before (they ended), so whoever acquires
  /// number k - 1 may overwrite what this rank read in launch k - 2.
  [[nodiscard]] KOINON_FORCE_INLINE bool enter() {
    if (m_number == first_after_wrap && wraps_after(m_comm.m_numbers[m_block.index()])) return wrap();
    if (m_block.index() == 0) tell(m_number);
    return true;
  }

  /// Waits until every peer has started the launch before this one. Called before the first store into a half, own or
  /// remote, or into a signal, entry or exit word: a third rank may still read that half until then.
  [[nodiscard]] KOINON_FORCE_INLINE bool before_first_store() {
    if (m_may_store) return true;
    LaunchNumber const wanted = m_number - 1;
    for (int i = 1; i < m_comm.size(); ++i) {
      int const p = peer(i);
      // Data of launch k - 1 from p proved that p started it (compared == with the launch just before: nothing wraps).
      if (m_comm.m_known != nullptr && known(p) == wanted) continue;
      std::uint32_t const* const word = m_comm.started_word(m_comm.rank(), p);
      if (!wait_until(m_block, m_comm, m_number, p,
                      [&] { return has_reached(Block::load_started(word), wanted); })) {
        return false;
      }
    }
    m_may_store = true;
    return true;
  }

  /// Notes that data of this launch arrived from p.
  KOINON_FORCE_INLINE void learn(int p) const {
    if (m_comm.m_known != nullptr) known(p) = m_number;
  }

  /// Advances the launch number of this block and of those copies that no block of this grid has.
  KOINON_FORCE_INLINE void finish() const {
    for (int c = m_block.index(); c < m_comm.m_layout.max_blocks; c += m_block.count()) m_comm.m_numbers[c] = m_number;
  }

 private:
  [[nodiscard]] KOINON_FORCE_INLINE LaunchNumber& known(int p) const {
    return m_comm.m_known[static_cast<std::size_t>(m_block.index()) * static_cast<std::size_t>(m_comm.size()) +
                          static_cast<std::size_t>(p)];
  }

  // The own word is written too: the wrap launch waits for it, and a value left from an earlier wrap would pass.
  KOINON_FORCE_INLINE void tell(LaunchNumber number) const {
    Block::store_started(m_comm.started_word(m_comm.rank(), m_comm.rank()), number);
    for (int i = 1; i < m_comm.size(); ++i) Block::store_started(m_comm.started_word(peer(i), m_comm.rank()), number);
  }

  [[nodiscard]] KOINON_FUNCTION bool wait_for_all(LaunchNumber number, bool self) const {
    for (int i = self ? 0 : 1; i < m_comm.size(); ++i) {
      int const p = peer(i);
      std::uint32_t const* const word = m_comm.started_word(m_comm.rank(), p);
      if (!wait_until(m_block, m_comm, m_number, p, [&] { return has_reached(Block::load_started(word), number); })) {
        return false;
      }
    }
    return true;
  }

  /// Clears this rank's packets and words between two tellings: 4 of all means that nobody sends any more, 5 of all,
  /// this rank included, means that everybody's words are clear (release by the teller, acquire here).
  [[nodiscard]] KOINON_FUNCTION bool wrap() {
    if (m_block.index() == 0) {
      tell(wrap_number);
      if (!wait_for_all(wrap_number, false)) return false;
      std::byte* const own = m_comm.segment(m_comm.rank());
      SegmentLayout const& layout = m_comm.m_layout;
      Block::clear(own + layout.words, layout.packets - layout.words);
      Block::clear(own + layout.packets, layout.staging - layout.packets);
      for (int p = 0; p < m_comm.size(); ++p) {
        Block::store(m_comm.started_word(p, m_comm.rank()), first_after_wrap, AcquireRelease{});
      }
    }
    if (!wait_for_all(first_after_wrap, true)) return false;
    m_may_store = true;
    return true;
  }

  Block const& m_block;
  DeviceCommunicator const& m_comm;
  LaunchNumber m_number;
  bool m_may_store = false;
};

}  // namespace Koinon::Impl
