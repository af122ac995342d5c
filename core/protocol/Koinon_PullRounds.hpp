// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <protocol/Koinon_Launch.hpp>

#include <cstddef>
#include <cstdint>

namespace Koinon::Impl {

/// Is where a rank's array may be read or written by its peers.
///
/// Placement is local knowledge: it never selects algorithm or geometry, it travels in the entry words.
struct Placement {
  std::uint32_t units = 0;  // offset in the segment / 16; 0: private memory, staged

  /// Stands for an array that this rank does not have: nobody reads it, and it hinders nobody's symmetric one.
  [[nodiscard]] static KOINON_FORCE_INLINE constexpr Placement absent() { return {~0u}; }
  [[nodiscard]] KOINON_FORCE_INLINE bool symmetric() const { return units != 0 && units != ~0u; }
  [[nodiscard]] KOINON_FORCE_INLINE bool staged() const { return units == 0; }
};

KOINON_FORCE_INLINE constexpr std::uint64_t tagged(LaunchNumber number, std::uint32_t value) {
  return static_cast<std::uint64_t>(number) << 32 | value;
}

/// Says what a pull is like; equal on all ranks.
struct PullShape {
  bool equal_offsets;          // the transport reads (stores to) all ranks by one address
  bool stores_to_all;          // results go to every rank's destination
  std::size_t round_elements;  // of a staged round
  std::uint32_t rounds;        // when something is staged
  std::size_t whole_elements;  // of the only round when nothing is
};

/// Exchanges sources (and destinations) between the same block of all ranks, and orders rounds of staged ones.
///
/// Round j of a staged source lies in part j & 1 of the launch's half. A peer's ready(j) follows its last read of round
/// j - 1, and whoever stages round j + 1 has seen ready(j) of all: so part (j + 1) & 1 is no longer read. The number of
/// rounds depends only on what every rank knows: the counts, and whether all sources are symmetric.
template <class Block>
class PullRounds {
 public:
  KOINON_INLINE_FUNCTION PullRounds(Launch<Block>& launch)
      : m_launch(launch), m_offsets(launch.block().scratch(launch.comm())) {}

  /// Takes part in a pull: stages what is private, publishes, meets, and runs the rounds. False: a wait was given up.
  ///   stage(round)           copies the round's piece of this rank's source to part round & 1
  ///   work(round, length)    reads pieces of `length` elements from all, stores results; false: a wait was given up
  template <class Stage, class Work>
  [[nodiscard]] KOINON_FORCE_INLINE bool pull(Placement source, Placement destination, PullShape const& shape,
                                              Stage&& stage, Work&& work) {
    if (!m_launch.before_first_store()) return false;
    if (source.staged()) stage(0u);
    if (!publish(source, destination) || !meet()) return false;
    // A multicast address needs one offset: where sources lie apart all ranks see it and stage what is symmetric too.
    m_restaged = shape.equal_offsets && !are_equal(sources());
    if (shape.stores_to_all) choose_destinations(shape.equal_offsets);
    if (m_restaged) {
      if (source.symmetric()) stage(0u);
      signal_ready(0);
      if (!wait_ready(0)) return false;
    }
    // Where nobody stages anything, one round has it all.
    bool const whole = all_symmetric(sources()) && !m_restaged && (m_direct || !shape.stores_to_all);
    std::uint32_t const rounds = whole ? 1u : shape.rounds;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      if (round > 0) {
        if (m_restaged || source.staged()) stage(round);
        signal_ready(round);
        if (!wait_ready(round)) return false;
      }
      if (!work(round, whole ? shape.whole_elements : shape.round_elements)) return false;
    }
    return true;
  }

  /// Pulls where nothing is staged, else pushes: whoever prefers stores stages nothing. False: a wait was given up.
  ///   work(round, length)    as pull()'s, of the one round
  ///   push()                 does it all; all ranks have met, and no rank reads a peer's source
  template <class Work, class Push>
  [[nodiscard]] KOINON_FORCE_INLINE bool pull_or_push(Placement source, Placement destination, PullShape const& shape,
                                                      Work&& work, Push&& push) {
    if (!publish(source, destination) || !meet()) return false;
    if (shape.stores_to_all) choose_destinations(shape.equal_offsets);
    if (all_symmetric(sources()) && (m_direct || !shape.stores_to_all)) return work(0u, shape.whole_elements);
    m_any_source_symmetric = false;
    return push();
  }

  /// Decides whether results go straight to every rank's destination. Of a launch that pulls nothing; pull() does it.
  KOINON_INLINE_FUNCTION void choose_destinations(bool equal_offsets) {
    m_direct = all_symmetric(destinations()) && !(equal_offsets && !are_equal(destinations()));
  }

  /// Says whether rank's source is read where it is, not from its staging.
  [[nodiscard]] KOINON_FORCE_INLINE bool reads_in_place(int rank) const {
    return !m_restaged && Placement{static_cast<std::uint32_t>(sources()[rank])}.symmetric();
  }
  /// Says whether a rank published before it staged what it has to stage: it may be that nobody reads it there.
  [[nodiscard]] KOINON_INLINE_FUNCTION bool any_unstaged() const {
    for (int p = 0; p < m_launch.size(); ++p) {
      if (sources()[p] == 0 && Placement{static_cast<std::uint32_t>(destinations()[p])}.symmetric()) return true;
    }
    return false;
  }
  /// Says whether results are stored straight to every rank's destination.
  [[nodiscard]] KOINON_FORCE_INLINE bool is_direct() const { return m_direct; }
  /// Returns where rank's source (destination) is. @pre reads_in_place(rank) (is_direct())
  [[nodiscard]] KOINON_FORCE_INLINE std::byte* source(int rank) const {
    return m_launch.comm().segment(rank) + sources()[rank] * std::size_t{16};
  }
  [[nodiscard]] KOINON_FORCE_INLINE std::byte* destination(int rank) const {
    return m_launch.comm().segment(rank) + destinations()[rank] * std::size_t{16};
  }

  /// Publishes this rank's source, staged already where it is not symmetric (release), and its destination.
  [[nodiscard]] KOINON_INLINE_FUNCTION bool publish(Placement source, Placement destination) {
    return publish_to_each(source, destination, [&](int) { return source; }, [&](int) { return destination; });
  }
  /// Does so with a place in the source, and in the destination, for each peer: at(p).
  /// @pre a peer's place is symmetric (absent, staged) where the whole is: all ranks see the same
  template <class SourceAt, class DestinationAt>
  [[nodiscard]] KOINON_FORCE_INLINE bool publish_to_each(Placement source, Placement destination, SourceAt&& source_at,
                                                         DestinationAt&& destination_at) {
    if (!m_launch.before_first_store()) return false;
    LaunchNumber const k = m_launch.number();
    drain();
    if (!meets_whole(m_launch.block())) return false;
    for_each_peer(m_launch.block(), m_launch.comm(), [&](int p) {
      PeerWords* const at = mine_at(p);
      Block::store(&at->destination, tagged(k, destination_at(p).units), Relaxed{});
      Block::store(&at->source, tagged(k, source_at(p).units), AcquireRelease{});
    });
    if (m_launch.block().thread() == 0) {
      sources()[m_launch.rank()] = source.units;
      destinations()[m_launch.rank()] = destination.units;
    }
    m_own_symmetric = source.symmetric();
    return true;
  }

  /// Waits for every peer's source (acquire).
  [[nodiscard]] KOINON_INLINE_FUNCTION bool meet() {
    LaunchNumber const k = m_launch.number();
    m_launch.confirm_alone();
    if (!wait_for_peers(m_launch.block(), m_launch.comm(), k, [&](int p) {
          PeerWords const* const words = theirs(p);
          std::uint64_t const seen = Block::load(&words->source, AcquireRelease{});
          if (static_cast<LaunchNumber>(seen >> 32) != k) return false;
          sources()[p] = static_cast<std::uint32_t>(seen);
          destinations()[p] = static_cast<std::uint32_t>(Block::load(&words->destination, Relaxed{}));
          return true;
        })) {
      return false;
    }
    m_launch.learn_all();
    m_any_source_symmetric = any_symmetric(sources());
    return true;
  }

  /// Returns room for one address a rank, for the transport's verbs: of sources, and of destinations.
  [[nodiscard]] KOINON_FORCE_INLINE std::uint64_t* source_addresses() const { return m_offsets + 2 * m_launch.size(); }
  [[nodiscard]] KOINON_INLINE_FUNCTION std::uint64_t* destination_addresses() const {
    return m_offsets + 3 * m_launch.size();
  }

  /// Notes that the block streamed data which the next signal must release.
  KOINON_INLINE_FUNCTION void note_streamed(bool streamed) { m_streamed = m_streamed || streamed; }

  /// Tells that this rank's part of a round is staged and that it has finished the round before (release).
  KOINON_INLINE_FUNCTION void signal_ready(std::uint32_t round) { signal(&PeerWords::ready, round); }
  /// Waits until every peer is ready (acquire).
  [[nodiscard]] KOINON_INLINE_FUNCTION bool wait_ready(std::uint32_t round) { return wait(&PeerWords::ready, round); }
  /// Waits for those for which wants(p) holds.
  template <class Wants>
  [[nodiscard]] KOINON_FORCE_INLINE bool wait_ready(std::uint32_t round, Wants&& wants) {
    return wait(&PeerWords::ready, round, wants);
  }
  /// Tells that this rank has stored its share of the round's result (release).
  KOINON_INLINE_FUNCTION void signal_done(std::uint32_t round) { signal(&PeerWords::done, round); }
  /// Waits until every peer has stored its share (acquire).
  [[nodiscard]] KOINON_INLINE_FUNCTION bool wait_done(std::uint32_t round) { return wait(&PeerWords::done, round); }

  /// Ends a launch that read symmetric sources: whoever gave one waits until no peer reads it any more.
  [[nodiscard]] KOINON_INLINE_FUNCTION bool leave() {
    if (!m_any_source_symmetric) return true;
    LaunchNumber const k = m_launch.number();
    settle();
    for_each_peer(m_launch.block(), m_launch.comm(),
                  [&](int p) { Block::store(&mine_at(p)->exit, k, AcquireRelease{}); });
    if (!m_own_symmetric) return true;
    return wait_for_peers(m_launch.block(), m_launch.comm(), k,
                          [&](int p) { return Block::load(&theirs(p)->exit, AcquireRelease{}) == k; });
  }

 private:
  KOINON_FORCE_INLINE PeerWords* mine_at(int peer) const {
    return m_launch.comm().words(peer, m_launch.rank(), m_launch.block().index(), m_launch.number());
  }
  KOINON_FORCE_INLINE PeerWords const* theirs(int peer) const {
    return m_launch.comm().words(m_launch.rank(), peer, m_launch.block().index(), m_launch.number());
  }
  KOINON_FORCE_INLINE std::uint64_t* sources() const { return m_offsets; }
  KOINON_FORCE_INLINE std::uint64_t* destinations() const { return m_offsets + m_launch.size(); }

  KOINON_INLINE_FUNCTION bool all_symmetric(std::uint64_t const* offsets) const {
    for (int p = 0; p < m_launch.size(); ++p) {
      if (offsets[p] == 0) return false;
    }
    return true;
  }
  KOINON_INLINE_FUNCTION bool any_symmetric(std::uint64_t const* offsets) const {
    for (int p = 0; p < m_launch.size(); ++p) {
      if (Placement{static_cast<std::uint32_t>(offsets[p])}.symmetric()) return true;
    }
    return false;
  }
  KOINON_INLINE_FUNCTION bool are_equal(std::uint64_t const* offsets) const {
    for (int p = 1; p < m_launch.size(); ++p) {
      if (offsets[p] != offsets[0]) return false;
    }
    return true;
  }

  /// Brings the stores of all threads of the block before the signals of each.
  KOINON_INLINE_FUNCTION void settle() {
    drain();
    m_launch.block().barrier();
  }
  KOINON_INLINE_FUNCTION void drain() {
    if (m_streamed) Block::drain_streams();
    m_streamed = false;
  }

  KOINON_INLINE_FUNCTION void signal(std::uint64_t PeerWords::* word, std::uint32_t round) {
    settle();
    for_each_peer(m_launch.block(), m_launch.comm(), [&](int p) {
      Block::store(&(mine_at(p)->*word), tagged(m_launch.number(), round), AcquireRelease{});
    });
  }
  [[nodiscard]] KOINON_INLINE_FUNCTION bool wait(std::uint64_t PeerWords::* word, std::uint32_t round) {
    return wait(word, round, [](int) { return true; });
  }
  template <class Wants>
  [[nodiscard]] KOINON_FORCE_INLINE bool wait(std::uint64_t PeerWords::* word, std::uint32_t round, Wants&& wants) {
    LaunchNumber const k = m_launch.number();
    return wait_for_peers(m_launch.block(), m_launch.comm(), k, [&](int p) {
      if (!wants(p)) return true;
      std::uint64_t const seen = Block::load(&(theirs(p)->*word), AcquireRelease{});
      return static_cast<LaunchNumber>(seen >> 32) == k && static_cast<std::uint32_t>(seen) >= round;
    });
  }

  Launch<Block>& m_launch;
  std::uint64_t* m_offsets;
  bool m_own_symmetric = false;
  bool m_streamed = false;
  bool m_any_source_symmetric = false;
  bool m_restaged = false;
  bool m_direct = false;
};

}  // namespace Koinon::Impl
