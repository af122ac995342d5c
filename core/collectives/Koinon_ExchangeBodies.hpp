// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <arrays/Koinon_Piece.hpp>
#include <collectives/Koinon_PieceSide.hpp>
#include <Koinon_Macros.hpp>
#include <protocol/Koinon_PullRounds.hpp>

#include <cstddef>
#include <cstdint>

/// The bodies of all exchanges (all_to_all, shards_to_rows, rows_to_shards, all_gather_columns): the piece of `in` that is
/// rank p's goes to the place of this rank's piece in `out` of rank p, bit for bit.
namespace Koinon::Impl {

/// Is what an exchange launches with.
template <class T>
struct ExchangeArguments {
  Operand<T const> in;
  Operand<T> out;
  PieceSide sent = {};      // pieces of `in`, by the rank that each is for
  PieceSide received = {};  // pieces of `out`, by the rank that each is from
  Placement source = {};       // symmetric only if dense; absent where this rank sends nothing
  Placement destination = {};  // symmetric only if dense; absent where this rank receives nothing
  std::size_t round_elements = 0;  // of one block and one piece
  bool tells_places = false;  // lists differ over ranks: each tells its peers where their pieces are
  bool skips_entry = false;   // all destinations are at this rank's offset and may be written at once
};

/// Returns where a rank's output is. @pre its place is known, or all have met and stores go straight to outputs
template <class T, class Block>
[[nodiscard]] KOINON_FORCE_INLINE T* exchange_destination(Launch<Block> const& launch, ExchangeArguments<T> const& a,
                                                          PullRounds<Block> const& rounds, int rank) {
  return reinterpret_cast<T*>(a.skips_entry ? launch.comm().segment(rank) + a.destination.units * std::size_t{16}
                                            : rounds.destination(rank));
}

/// Every rank reads its piece from each peer, where it is or from the peer's staging. Where all outputs are symmetric
/// each rank stores its pieces straight into them instead.
///
///   in_0: a0 a1 a2          in_1: b0 b1 b2          in_2: c0 c1 c2
///   out_0: a0 b0 c0         out_1: a1 b1 c1         out_2: a2 b2 c2
///
/// No rank need know how much two others exchange: two ranks take as many rounds as the larger of their two pieces needs.
/// Staging is the sender's, which its readers load from, or where stores are faster (Block::prefers_stores) the reader's: either
/// is written again only behind the reader's signal that it has read the round before.
template <class T>
struct OneShotExchange {
  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch, ExchangeArguments<T> const& a) const {
    Block const& block = launch.block();
    PullRounds<Block> rounds(launch);
    if (!launch.before_first_store()) return;
    // What may go straight to the peers is staged only when it turns out that it may not.
    bool const waits = a.source.staged() && a.destination.symmetric();
    auto const stage = [&](std::uint32_t round) { stage_pieces(launch, a, rounds, round); };
    if (!a.skips_entry) {
      if (a.source.staged() && !waits) stage(0u);
      if (!publish(a, rounds)) return;
      keep_own(launch, a);  // while peers still stage: of uneven pieces the largest may be a rank's own
      if (!rounds.meet()) return;
      rounds.choose_destinations(false);
    }
    if (a.skips_entry || rounds.is_direct()) return push(launch, a, rounds);
    bool const unstaged = rounds.any_unstaged();
    auto const rounds_with = [&](int p) {
      auto const needed = [&](std::size_t count) { return rounds_of(slice_of(block, count), a.round_elements); };
      std::uint32_t const there = a.source.staged() ? needed(a.sent.of(p).count) : 1u;
      std::uint32_t const back = rounds.reads_in_place(p) ? 1u : needed(a.received.of(p).count);
      return there > back ? there : back;
    };
    std::uint32_t last = 1;
    for (int turn = 1; turn < launch.size(); ++turn) {
      std::uint32_t const with_peer = rounds_with(launch.peer(turn));
      last = with_peer > last ? with_peer : last;
    }
    for (std::uint32_t round = 0; round < last; ++round) {
      if (round > 0 || unstaged) {
        if (round > 0 ? a.source.staged() : waits) stage(round);
        rounds.signal_ready(round);
        if (!rounds.wait_ready(round, [&](int p) { return rounds_with(p) > round; })) return;  // of round 0: all
      }
      pull_pieces(launch, a, rounds, round);
    }
    if (!rounds.leave()) return;
  }

 private:
  /// Returns this block's part of a piece of so many elements.
  template <class Block>
  static KOINON_FORCE_INLINE Range slice_of(Block const& block, std::size_t count) {
    return part_of({0, count}, block.index(), block.count(), pack_elements<T, Block>);
  }

  /// Says whether a rank stages a piece once for all its readers.
  template <class Block>
  static KOINON_FORCE_INLINE bool is_staged_once(ExchangeArguments<T> const& a) {
    return a.sent.cut == Cut::none && !Block::prefers_stores;
  }

  /// Returns where the round's part of the piece from one rank to another is staged: whose staging it is has no piece.
  template <class Block>
  static KOINON_FORCE_INLINE T* staged(Launch<Block> const& launch, ExchangeArguments<T> const& a, int from, int to,
                                       std::uint32_t round) {
    DeviceCommunicator const& comm = launch.comm();
    bool const once = is_staged_once<Block>(a);
    int const at = Block::prefers_stores ? to : from;
    int const other = Block::prefers_stores ? from : to;
    int const place = launch.block().index() * (once ? 1 : launch.size() - 1) + (once ? 0 : other - (other > at ? 1 : 0));
    return reinterpret_cast<T*>(comm.segment(at) + comm.m_layout.part(launch.half(), static_cast<int>(round & 1u))) +
           static_cast<std::size_t>(place) * a.round_elements;
  }

  template <class Block>
  static KOINON_FORCE_INLINE bool publish(ExchangeArguments<T> const& a, PullRounds<Block>& rounds) {
    if (!a.tells_places) return rounds.publish(a.source, a.destination);
    auto const place = [](Placement whole, Piece const& piece) {
      return whole.symmetric() ? Placement{whole.units + static_cast<std::uint32_t>(piece.begin * sizeof(T) / 16)} : whole;
    };
    return rounds.publish_to_each(a.source, a.destination, [&](int p) { return place(a.source, a.sent.of(p)); },
                                  [&](int p) { return place(a.destination, a.received.of(p)); });
  }

  template <class Block>
  static KOINON_FORCE_INLINE void stage_pieces(Launch<Block> const& launch, ExchangeArguments<T> const& a,
                                               PullRounds<Block>& rounds, std::uint32_t round) {
    int const turns = is_staged_once<Block>(a) ? smaller_of(2, launch.size()) : launch.size();
    for (int turn = 1; turn < turns; ++turn) {
      int const p = launch.peer(turn);
      Piece const piece = a.sent.of(p);
      Range const range = piece_of(slice_of(launch.block(), piece.count), round, a.round_elements);
      T* const to = staged(launch, a, launch.rank(), p, round) - range.begin;
      rounds.note_streamed(copy_piece(launch.block(), &launch.comm(), memory_of(to, piece.alone()), memory_of(a.in, piece),
                                      piece.columns, range));
    }
  }

  template <class Block>
  static KOINON_FORCE_INLINE void pull_pieces(Launch<Block> const& launch, ExchangeArguments<T> const& a,
                                              PullRounds<Block> const& rounds, std::uint32_t round) {
    Block const& block = launch.block();
    DeviceCommunicator const& comm = launch.comm();
    std::size_t read = 0;  // elements that peers staged
    for (int turn = 1; turn < launch.size(); ++turn) {
      int const p = launch.peer(turn);
      Piece const piece = a.received.of(p);
      Range range = slice_of(block, piece.count);
      bool const in_place = rounds.reads_in_place(p);
      if (in_place && round > 0) continue;
      if (!in_place) range = piece_of(range, round, a.round_elements);
      if (range.size() == 0) continue;
      PieceMemory<T const> from;
      if (in_place) {
        bool const at_begin = a.tells_places || a.sent.cut == Cut::none;
        from = memory_of(reinterpret_cast<T const*>(rounds.source(p)), at_begin ? piece.alone() : a.sent.of(launch.rank()));
      } else {
        from = memory_of<T const>(staged(launch, a, p, launch.rank(), round) - range.begin, piece.alone());
        read += range.size();
      }
      copy_piece(block, nullptr, memory_of(a.out, piece), from, piece.columns, range);
      if (in_place && from.pitch == static_cast<std::ptrdiff_t>(piece.columns)) {
        block.give_back(comm, from.origin + range.begin, range.size() * sizeof(T));
      }
    }
    block.read_staged(comm, read * sizeof(T));
  }

  template <class Block>
  static KOINON_FORCE_INLINE void keep_own(Launch<Block> const& launch, ExchangeArguments<T> const& a) {
    Piece const from = a.sent.of(launch.rank());
    copy_piece(launch.block(), nullptr, memory_of(a.out, a.received.of(launch.rank())), memory_of(a.in, from), from.columns,
               slice_of(launch.block(), from.count));
  }

  /// Stores this rank's pieces into the peers' outputs, and waits for theirs.
  template <class Block>
  static KOINON_FORCE_INLINE void push(Launch<Block>& launch, ExchangeArguments<T> const& a, PullRounds<Block>& rounds) {
    for (int turn = 1; turn < launch.size(); ++turn) {
      int const p = launch.peer(turn);
      Piece const from = a.sent.of(p);
      if (from.count == 0) continue;
      Piece const to = a.tells_places ? from.alone() : a.received.of(launch.rank());
      rounds.note_streamed(copy_piece(launch.block(), &launch.comm(), memory_of(exchange_destination(launch, a, rounds, p), to),
                                      memory_of(a.in, from), from.columns, slice_of(launch.block(), from.count)));
    }
    rounds.signal_done(0);
    if (a.skips_entry) keep_own(launch, a);
    if (rounds.wait_done(0)) launch.learn_all();
  }

  static KOINON_FORCE_INLINE int smaller_of(int x, int y) { return x < y ? x : y; }
};

}  // namespace Koinon::Impl
