// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <arrays/Koinon_Copy.hpp>
#include <collectives/Koinon_Shares.hpp>
#include <Koinon_Macros.hpp>
#include <protocol/Koinon_Packets.hpp>
#include <protocol/Koinon_PullRounds.hpp>
#include <transports/Koinon_PeerLoadTransport.hpp>

#include <cstddef>
#include <cstdint>

/// The bodies of all_gather: share p of out = in of rank p, on every rank, bit for bit.
namespace Koinon::Impl {

/// Copies this rank's rows to their place in the result, unless they are there already (in place).
template <class T, class Block>
KOINON_FORCE_INLINE void copy_own_share(Block const& block, Operand<T const> const& in, Operand<T> const& out,
                                        Range piece, std::size_t share_begin) {
  if (in.dense && out.dense && in.pointer == out.pointer + share_begin) return;
  if (in.dense) {
    copy_out<T>(block, in.pointer + (piece.begin - share_begin), out, piece);
    return;
  }
  for_each_pack<T>(block, piece.begin, piece.end, [&](auto size, std::size_t i) {
    out.store(block, i, in.template load<size()>(block, i - share_begin));
  });
}

/// Every rank sends its rows to all as packets.
///
///   rank 0   a ──► all      rank 1   b ──► all      rank 2   c ──► all      everyone: a b c
template <class T>
struct LowLatencyAllGather {
  Operand<T const> in;
  Operand<T> out;
  Shares shares;

  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch) const {
    constexpr int n = packet_elements<T, Block>;
    static_assert(n > 0, "an element that exceeds a packet has no low-latency form");
    if (!launch.before_first_store()) return;
    Range const mine = shares.of(launch.rank());
    PacketSender<T, Block> sender(launch, mine.size());
    for_each_packet<T>(launch.block(), mine.size(), [&](std::size_t packet, std::size_t i, int elements) {
      T room[n];
      T const* const values = in.read(room, i, elements);
      for (int p = 1; p < launch.size(); ++p) sender.send(launch.peer(p), packet, values, elements);
      out.store_some(mine.begin + i, values, elements);
    });
    for (int p = 1; p < launch.size(); ++p) sender.finish(launch.peer(p));
    for (int i = 1; i < launch.size(); ++i) {
      int const from = launch.peer(i);
      Range const share = shares.of(from);
      bool arrived = true;
      for_each_packet<T>(launch.block(), share.size(), [&](std::size_t packet, std::size_t at, int elements) {
        T room[n];
        T const* const values = arrived ? receive_packet(launch, from, packet, room, elements) : nullptr;
        arrived = values != nullptr;
        if (arrived) out.store_some(share.begin + at, values, elements);
      });
      if (!arrived) return;
      if (has_packets<T>(launch.block(), share.size())) launch.learn(from);
    }
  }
};

/// Every rank reads each peer's rows where they are, or from the peer's staging.
///
///   in_0, in_1, in_2 ─► out_0      in_0, in_1, in_2 ─► out_1      in_0, in_1, in_2 ─► out_2
template <class T>
struct OneShotAllGather {
  Operand<T const> in;
  Operand<T> out;
  Shares shares;
  Placement source;
  std::size_t round_elements;  // of one block

  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch) const {
    Block const& block = launch.block();
    DeviceCommunicator const& comm = launch.comm();
    PullRounds<Block> rounds(launch);
    auto const slice_of = [&](int rank) { return part_of(shares.of(rank), block.index(), block.count(), 1); };
    auto const staged = [&](int rank, std::uint32_t round) {
      return reinterpret_cast<T*>(comm.segment(rank) + comm.m_layout.part(launch.half(), static_cast<int>(round & 1u))) +
             static_cast<std::size_t>(block.index()) * round_elements;
    };
    Range const mine = slice_of(launch.rank());
    std::size_t const share_begin = shares.of(launch.rank()).begin;
    auto const stage = [&](std::uint32_t round) {
      Range const piece = piece_of(mine, round, round_elements);
      if (piece.size() == 0) return;
      rounds.note_streamed(Impl::stage(block, comm, in, {piece.begin - share_begin, piece.end - share_begin}, staged(launch.rank(), round)));
    };

    if (!launch.before_first_store()) return;
    if (source.staged()) stage(0);
    if (!rounds.publish(source, {}) || !rounds.meet()) return;
    bool const whole = rounds.all_sources_symmetric();
    std::size_t const longest = shares.longest();
    std::size_t const length = whole ? longest : round_elements;
    // Block 0's: a last block may have more of a shorter share than of the longest.
    Range const longest_slice = part_of({0, longest}, 0, block.count(), 1);
    std::uint32_t const last = whole ? 1 : rounds_of(longest_slice, round_elements);
    for (std::uint32_t round = 0; round < last; ++round) {
      if (round > 0) {
        if (source.staged()) stage(round);
        rounds.signal_ready(round);
        if (!rounds.wait_ready(round)) return;
      }
      for (int turn = 1; turn < launch.size(); ++turn) {
        int const p = launch.peer(turn);
        Range const piece = piece_of(slice_of(p), round, length);
        if (piece.size() == 0) continue;
        T const* const from =
            rounds.is_symmetric(p)
                ? reinterpret_cast<T const*>(comm.segment(p) + rounds.source_offset(p)) + (piece.begin - shares.of(p).begin)
                : staged(p, round);
        copy_out(block, from, out, piece);
        if (rounds.is_symmetric(p)) block.give_back(comm, from, piece.size() * sizeof(T));
      }
      Range const own = piece_of(mine, round, length);
      if (own.size() > 0) copy_own_share(block, in, out, own, share_begin);
    }
    if (!rounds.leave()) return;
  }
};

/// Every rank stores its rows to all: straight into symmetric outputs, else into the peers' staging.
///
///   in_0 ─► share 0 of out_0, out_1, out_2      in_1 ─► share 1 of out_0, out_1, out_2      ...
template <class T, template <class, class> class Transport>
struct StoreAllGather {
  Operand<T const> in;
  Operand<T> out;
  Shares shares;
  Placement destination;
  std::size_t round_elements;  // of one block and one share

  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch) const {
    Block const& block = launch.block();
    DeviceCommunicator const& comm = launch.comm();
    PullRounds<Block> rounds(launch);
    Transport<T, Block> transport(comm, rounds.source_addresses(), rounds.destination_addresses());
    auto const slice_of = [&](int rank) {
      return part_of(shares.of(rank), block.index(), block.count(), pack_elements<T, Block>);
    };
    std::size_t const block_elements = round_elements * static_cast<std::size_t>(launch.size());
    auto const staged = [&](int at, std::uint32_t round, int share) {
      return reinterpret_cast<T*>(comm.segment(at) +
                                  comm.m_layout.part(launch.half(), 2 + static_cast<int>(round & 1u))) +
             static_cast<std::size_t>(block.index()) * block_elements + static_cast<std::size_t>(share) * round_elements;
    };
    // The entry acquires that each peer's output may be written; it carries no source.
    if (!rounds.publish({}, destination) || !rounds.meet()) return;
    bool const equal = Transport<T, Block>::needs_equal_offsets;
    bool const direct = rounds.all_destinations_symmetric() && !(equal && !rounds.destinations_are_equal());
    std::size_t const longest = shares.longest();
    std::size_t const length = direct ? longest : round_elements;
    // Block 0's: a last block may have more of a shorter share than of the longest.
    Range const longest_slice = part_of({0, longest}, 0, block.count(), pack_elements<T, Block>);
    std::uint32_t const last = direct ? 1 : rounds_of(longest_slice, round_elements);
    Range const mine = slice_of(launch.rank());
    std::size_t const share_begin = shares.of(launch.rank()).begin;
    for (std::uint32_t round = 0; round < last; ++round) {
      Range const piece = piece_of(mine, round, length);
      for (int p = 0; p < launch.size(); ++p) {
        transport.set_destination(p, direct ? reinterpret_cast<T*>(comm.segment(p) + rounds.destination_offset(p))
                                            : staged(p, round, launch.rank()) - piece.begin);
      }
      rounds.note_streamed(transport.stream_stores(block, piece.size() * sizeof(T)));
      for_each_pack<T>(block, piece.begin, piece.end, [&](auto size, std::size_t i) {
        auto const pack = in.template load<size()>(block, i - share_begin);
        transport.store_all(i, pack);
        out.store(block, i, pack);
      });
      // done(j) follows the copy of round j - 1, so the part of round j + 1 is free when all are seen.
      rounds.signal_done(round);
      if (!rounds.wait_done(round)) return;
      if (direct) continue;
      for (int turn = 1; turn < launch.size(); ++turn) {
        int const p = launch.peer(turn);
        Range const arrived = piece_of(slice_of(p), round, length);
        if (arrived.size() > 0) copy_out<T>(block, staged(launch.rank(), round, p), out, arrived);
      }
    }
  }
};

}  // namespace Koinon::Impl
