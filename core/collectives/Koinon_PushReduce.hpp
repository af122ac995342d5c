// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <arrays/Koinon_Copy.hpp>
#include <protocol/Koinon_PullRounds.hpp>
#include <reducers/Koinon_ReducerTraits.hpp>
#include <transports/Koinon_PeerLoadTransport.hpp>

#include <cstddef>
#include <cstdint>

/// Reductions by pushing: for backends that store to peers faster than they load from them (Block::prefers_stores).
namespace Koinon::Impl {

/// Says whether reductions over a transport push: multicast addresses reduce what they load, so those pull.
template <class Block, class Transport>
inline constexpr bool pushes = Block::prefers_stores && !Transport::needs_equal_offsets;

/// Every rank stores its contributions to the rank that reduces them, which then reads its own memory only.
///
///   in_0[1] ─► staging of rank 1 ─┐
///   in_2[1] ─► staging of rank 1 ─┼─► share 1: of rank 1, or, fanned out, of all
///   in_1[1] ──────────────────────┘
///
/// One signal a round: ready(j) of a peer says that its contributions of round j are here, that its results of round j
/// - 1 are, and that it no longer reads what round j - 1 brought it. So it may be given round j + 1's contributions, in
/// part (j + 1) & 1, and round j's results, in part j & 1, whose results of round j - 2 it had taken out before
/// ready(j). Round 0 is stored after all ranks have met, and so have started the launch before.
///
/// Safe in place: an element's owner stores its result only after every rank's contribution to its round has arrived.
///
/// @pre all ranks have met @param rounds where they did
/// @tparam FansOut results go to all ranks, straight to their destinations where all have a symmetric one, else over
/// staging
/// @param share_of the range of elements that a rank reduces, by rank; `longest` is the longest of all
/// @param round_elements of one block, one share and one writer; fanned out of half as much room
/// @return false: a wait was given up
template <bool FansOut, class T, class R, class Block, class ShareOf>
[[nodiscard]] KOINON_FORCE_INLINE bool push_reduce(Launch<Block>& launch, PullRounds<Block>& rounds,
                                                   PeerLoadTransport<T, Block>& transport, Operand<T const> const& in,
                                                   Operand<T> const& out, ReducerTraits<R, T> const& reducer,
                                                   std::size_t longest, std::size_t round_elements,
                                                   ShareOf&& share_of) {
  Block const& block = launch.block();
  DeviceCommunicator const& comm = launch.comm();
  int const me = launch.rank();
  constexpr std::size_t grain = pack_elements<T, Block>;
  auto const piece_of_share = [&](int rank, std::uint32_t round) {
    return piece_of(part_of(share_of(rank), block.index(), block.count(), grain), round, round_elements);
  };
  std::size_t const ranks = static_cast<std::size_t>(launch.size());
  std::size_t const block_elements = round_elements * ranks * (FansOut ? 2 : 1);
  // What `writer` stored at `at`: contributions first, behind those of all ranks results.
  auto const staged = [&](int at, int writer, std::uint32_t round, bool result) {
    return reinterpret_cast<T*>(comm.segment(at) + comm.m_layout.part(launch.half(), static_cast<int>(round & 1u))) +
           static_cast<std::size_t>(block.index()) * block_elements +
           (static_cast<std::size_t>(writer) + (result ? ranks : 0)) * round_elements;
  };
  auto const push = [&](std::uint32_t round) {
    for (int turn = 1; turn < launch.size(); ++turn) {
      int const p = launch.peer_of_block(turn);
      Range const piece = piece_of_share(p, round);
      if (piece.size() > 0) copy_in(block, in, piece, staged(p, me, round, false));
    }
  };
  std::size_t const first_out = FansOut ? 0 : share_of(me).begin;  // out's first element in the whole
  auto const reduce = [&](std::uint32_t round) {
    Range const piece = piece_of_share(me, round);
    set_addresses(block, launch.size(), [&](int p) {
      bool const where_it_is = p == me && in.dense;
      transport.set_source(p, where_it_is ? in.pointer : staged(me, p, round, false) - piece.begin);
      if constexpr (FansOut) {
        transport.set_destination(p, rounds.is_direct() ? reinterpret_cast<T*>(rounds.destination(p))
                                                        : staged(p, me, round, true) - piece.begin);
      }
    });
    if (!in.dense && piece.size() > 0) copy_in(block, in, piece, staged(me, me, round, false));
    for_each_pack<T>(block, piece.begin, piece.end, [&](auto size, std::size_t i) {
      auto const result = transport.reduce(size, i, reducer);
      if constexpr (FansOut) transport.store_all(i, result);
      out.store(block, i - first_out, result);
    });
  };
  auto const collect = [&](std::uint32_t round) {
    for (int turn = 1; turn < launch.size() && !rounds.is_direct(); ++turn) {
      int const p = launch.peer_of_block(turn);
      Range const piece = piece_of_share(p, round);
      if (piece.size() > 0) copy_out(block, static_cast<T const*>(staged(me, p, round, true)), out, piece);
    }
  };

  // The same on all ranks and blocks: block 0's slice of the longest share has as many rounds as any.
  std::uint32_t const count = rounds_of(part_of({0, longest}, 0, block.count(), grain), round_elements);
  // Turn t takes out round t - 2, gives round t and reduces round t - 1: each written once, so that each is compiled
  // once.
  std::uint32_t const turns = count + (FansOut ? 2 : 1);
  for (std::uint32_t turn = 0; turn < turns; ++turn) {
    if (turn > 0 && !rounds.wait_ready(turn - 1)) return false;
    if constexpr (FansOut) {
      if (turn > 1) collect(turn - 2);
    }
    if (turn < count) push(turn);
    if (turn > 0 && turn <= count) reduce(turn - 1);
    if (turn + 1 < turns) rounds.signal_ready(turn);
  }
  return true;
}

}  // namespace Koinon::Impl
