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

/// Calls f(p) for this thread's share of the peers, each rank's right neighbour first.
template <class Block, class F>
KOINON_FORCE_INLINE void for_each_peer(Block const& block, DeviceCommunicator const& comm, F&& f) {
  for (int i = 1 + block.thread(); i < comm.size(); i += block.threads()) {
    int const p = comm.rank() + i;
    f(p < comm.size() ? p : p - comm.size());
  }
}

/// Waits, each thread for its share of the peers, until ready(p) holds for all of them; then all threads go on together.
/// False, in every thread alike: a wait was given up.
template <class Block, class Ready>
[[nodiscard]] KOINON_FORCE_INLINE bool wait_for_peers(Block const& block, DeviceCommunicator const& comm,
                                                      LaunchNumber number, Ready&& ready) {
  bool good = true;
  for_each_peer(block, comm, [&](int p) {
    good = good && wait_until(block, comm, number, p, [&] { return ready(p); });
  });
  return block.all(good);
}

/// Says whether a block that awaits several words asks for all of them before it looks at the first, without a branch
/// between: for what it does not want, where something else lies. Some compilers wait at every branch.
template <class Block>
inline constexpr bool asks_for_all = requires { requires Block::asks_for_all; };

/// Is a barrier of the block. False: threads have left, as each does for itself that finds the communicator failed; what
/// they would have written to memory that the block shares is not there.
template <class Block>
[[nodiscard]] KOINON_FORCE_INLINE bool meets_whole(Block const& block) {
  if constexpr (requires { block.all_are_here(); }) {
    return block.all_are_here();
  } else {
    block.barrier();
    return true;
  }
}

/// Is one block's part in one launch: its number, and the rules that every launch keeps whatever it does.
///
/// All threads of the block call every function here, unless it says otherwise.
/// `run` (Koinon_Run.hpp) enters, calls the body, and finishes.
template <class Block>
class Launch {
 public:
  KOINON_FORCE_INLINE Launch(Block const& block, DeviceCommunicator const& comm, LaunchRecord const& before)
      : m_block(block), m_comm(comm), m_before(before), m_number(next_launch_number(before.number)) {}

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
  /// Returns the i-th peer for this block, i in [1, size): where a link leads to each peer, blocks turn to different ones
  /// at the same time, and keep all links busy.
  [[nodiscard]] KOINON_FORCE_INLINE int peer_of_block(int i) const {
    if constexpr (requires { requires Block::has_link_to_each_peer; }) {
      int const peers = m_comm.size() - 1;
      int const at = i - 1 + m_block.index() % peers;
      return peer(1 + (at < peers ? at : at - peers));
    }
    return peer(i);
  }

  /// Tells every peer that this launch has started; in the launch after 2^32 - 1 clears the words behind a barrier.
  /// The started word is written by every launch of every rank, whatever it sends: a word not rewritten would look
  /// ahead after 2^31 launches. Its release covers the reads of all launches before (they ended), so whoever acquires
  /// number k - 1 may overwrite what this rank read in launch k - 2.
  [[nodiscard]] KOINON_FORCE_INLINE bool enter() {
    if (wraps_after(m_before.number)) return m_may_store = wrap(m_block, m_comm, m_number);
    if (m_block.index() == 0) tell(m_block, m_comm, m_number);
    return true;
  }

  /// Waits until every peer has started the launch before this one. Called before the first store into a half, own or
  /// remote, or into a signal, entry or exit word: a third rank may still read that half until then.
  [[nodiscard]] KOINON_FORCE_INLINE bool before_first_store() {
    // Data of launch k - 1 from all peers proved that they started it (compared == with the launch just before: nothing
    // wraps).
    m_may_store = m_may_store || m_before.known == m_number - 1 || all_started(m_block, m_comm, m_number - 1);
    return m_may_store;
  }

  /// Makes sure, before the first wait, that no other launch of this communicator runs beside this one; such a one is
  /// recorded as a failure, which ends both.
  KOINON_FORCE_INLINE void confirm_alone() const { m_block.confirm_alone(m_comm, m_number); }

  /// Notes that data of this launch arrived from every peer. Called by the block's first thread at least.
  KOINON_FORCE_INLINE void learn_all() { m_learned = true; }

  /// Advances the launch number of this block and of those copies that no block of this grid has.
  KOINON_FORCE_INLINE void finish() const {
    m_block.barrier();  // every thread has read the number
    if (m_learned && m_block.thread() == 0) m_comm.m_known[m_block.index()] = m_number;
    int const stride = m_block.count() * m_block.threads();
    KOINON_KEEP_ROLLED
    for (int c = m_block.index() + m_block.thread() * m_block.count(); c < m_comm.m_layout.max_blocks; c += stride) {
      m_comm.m_numbers[c] = m_number;
    }
  }

 private:
  /// Waits, in the launch after `number`, until every peer has started that one.
  [[nodiscard]] static KOINON_CALLED_FUNCTION bool all_started(Block const block, DeviceCommunicator const& comm,
                                                               LaunchNumber number) {
    return wait_for_peers(block, comm, number + 1, [&](int p) {
      return has_reached(Block::load_started(comm.started_word(comm.rank(), p)), number);
    });
  }
  // The own word is written too: the wrap launch waits for it, and a value left from an earlier wrap would pass.
  static KOINON_FORCE_INLINE void tell(Block const& block, DeviceCommunicator const& comm, LaunchNumber number) {
    // By the block's last threads: the first ones have most to do.
    for (int i = block.threads() - 1 - block.thread(); i < comm.size(); i += block.threads()) {
      int const p = comm.rank() + i;
      Block::store_started(comm.started_word(p < comm.size() ? p : p - comm.size(), comm.rank()), number);
    }
  }

  /// Clears this rank's packets and words between two tellings: 4 of all means that nobody sends any more, 5 of all,
  /// this rank included, means that everybody's words are clear (release by the teller, acquire here). Forgets what peers'
  /// data proved before the numbers began again; also for those blocks that no block of this grid is.
  [[nodiscard]] static KOINON_COLD_FUNCTION bool wrap(Block const block, DeviceCommunicator const& comm,
                                                      LaunchNumber number) {
    int const stride = block.count() * block.threads();
    for (int c = block.index() + block.thread() * block.count(); c < comm.m_layout.max_blocks; c += stride) {
      comm.m_known[c] = 0;
    }
    auto const told = [&](int p) { return comm.started_word(comm.rank(), p); };
    if (block.index() == 0) {
      tell(block, comm, wrap_number);
      bool const alone = wait_for_peers(block, comm, number,
                                        [&](int p) { return has_reached(Block::load_started(told(p)), wrap_number); });
      if (!alone) return false;
      std::byte* const own = comm.segment(comm.rank());
      SegmentLayout const& layout = comm.m_layout;
      block.clear(own + layout.words, layout.packets - layout.words);
      block.clear(own + layout.packets, layout.sentinels - layout.packets);
      block.barrier();
      for (int p = block.thread(); p < comm.size(); p += block.threads()) {
        Block::store(comm.started_word(p, comm.rank()), first_after_wrap, AcquireRelease{});
      }
    }
    auto const cleared = [&](int p) { return has_reached(Block::load(told(p), AcquireRelease{}), first_after_wrap); };
    bool own_cleared = true;
    if (block.thread() == 0) {
      own_cleared = wait_until(block, comm, number, comm.rank(), [&] { return cleared(comm.rank()); });
    }
    return wait_for_peers(block, comm, number, cleared) && block.all(own_cleared);
  }

  Block const& m_block;
  DeviceCommunicator const& m_comm;
  LaunchRecord m_before;
  LaunchNumber m_number;
  bool m_may_store = false;
  bool m_learned = false;
};

}  // namespace Koinon::Impl
