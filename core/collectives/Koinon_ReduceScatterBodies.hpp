// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <arrays/Koinon_Copy.hpp>
#include <collectives/Koinon_Shares.hpp>
#include <Koinon_Macros.hpp>
#include <collectives/Koinon_ReducePacket.hpp>
#include <protocol/Koinon_Packets.hpp>
#include <protocol/Koinon_PullRounds.hpp>
#include <reducers/Koinon_ReducerTraits.hpp>
#include <transports/Koinon_PeerLoadTransport.hpp>

#include <cstddef>
#include <cstdint>

/// The bodies of reduce_scatter: out of rank r = share r of the reduction over ranks of in.
namespace Koinon::Impl {

/// Every rank sends each peer the peer's share as packets and reduces what it receives with its own.
///
///   rank 0   in[1] ──► rank 1, in[2] ──► rank 2      and so on; each reduces the shares that are its own
template <class T, class R>
struct LowLatencyReduceScatter {
  Operand<T const> in;
  Operand<T> out;
  Shares shares;
  ReducerTraits<R, T> reducer;

  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch) const {
    constexpr int n = packet_elements<T, Block>;
    static_assert(n > 0, "an element that exceeds a packet has no low-latency form");
    if (!launch.before_first_store()) return;
    for (int p = 1; p < launch.size(); ++p) {
      int const to = launch.peer(p);
      Range const share = shares.of(to);
      PacketSender<T, Block> sender(launch, share.size());
      for_each_packet<T>(launch.block(), share.size(), [&](std::size_t packet, std::size_t i, int elements) {
        T room[n];
        sender.send(to, packet, in.read(room, share.begin + i, elements), elements);
      });
      sender.finish(to);
    }
    Range const mine = shares.of(launch.rank());
    for_each_packet<T>(launch.block(), mine.size(), [&](std::size_t packet, std::size_t i, int elements) {
      T room[n];
      T const* const own = in.read(room, mine.begin + i, elements);
      reduce_packet(launch, packet, own, elements, out, i, reducer);
    });
    learn_from_packets<T>(launch, mine.size());
  }
};

/// Every rank reduces its own share: it reads the share of each peer's input where it is, or from the peer's staging.
///
///   share 0 of in_0, in_1, in_2 ─► out of rank 0      share 1 of in_0, in_1, in_2 ─► out of rank 1      ...
///
/// Safe in place: the thread that reads element i of all ranks is the only one to write it.
template <class T, class R, template <class, class> class Transport>
struct OneShotReduceScatter {
  Operand<T const> in;
  Operand<T> out;
  Shares shares;
  ReducerTraits<R, T> reducer;
  Placement source;
  std::size_t round_elements;  // of one block and one share

  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch) const {
    Block const& block = launch.block();
    DeviceCommunicator const& comm = launch.comm();
    PullRounds<Block> rounds(launch);
    Transport<T, Block> transport(comm, rounds.source_addresses(), rounds.destination_addresses());
    // A block takes its slice of every share; the longest share says how many rounds there are.
    auto const slice_of = [&](int rank) {
      return part_of(shares.of(rank), block.index(), block.count(), pack_elements<T, Block>);
    };
    std::size_t const block_elements = round_elements * static_cast<std::size_t>(launch.size());
    auto const staged = [&](int at, std::uint32_t round, int share) {
      return reinterpret_cast<T*>(comm.segment(at) + comm.m_layout.part(launch.half(), static_cast<int>(round & 1u))) +
             static_cast<std::size_t>(block.index()) * block_elements + static_cast<std::size_t>(share) * round_elements;
    };
    bool const stage_own = Transport<T, Block>::needs_equal_offsets || !in.dense;
    auto const stage = [&](std::uint32_t round) {
      for (int p = 0; p < launch.size(); ++p) {
        if (p == launch.rank() && !stage_own) continue;
        Range const piece = piece_of(slice_of(p), round, round_elements);
        if (piece.size() > 0) rounds.note_streamed(Impl::stage(block, comm, in, piece, staged(launch.rank(), round, p)));
      }
    };

    if (!launch.before_first_store()) return;
    if (source.staged()) stage(0);
    if (!rounds.publish(source, {}) || !rounds.meet()) return;
    bool const restage = Transport<T, Block>::needs_equal_offsets && !rounds.sources_are_equal();
    bool const whole = rounds.all_sources_symmetric() && !restage;
    if (restage) {
      if (source.symmetric()) stage(0);
      rounds.signal_ready(0);
      if (!rounds.wait_ready(0)) return;
    }
    std::size_t const length = whole ? shares.longest() : round_elements;
    // Block 0's: a last block may have more of a shorter share than of the longest.
    Range const longest = part_of({0, shares.longest()}, 0, block.count(), pack_elements<T, Block>);
    std::uint32_t const last = whole ? 1 : rounds_of(longest, round_elements);
    Range const slice = slice_of(launch.rank());
    Range const mine = shares.of(launch.rank());
    for (std::uint32_t round = 0; round < last; ++round) {
      if (round > 0) {
        if (restage || source.staged()) stage(round);
        rounds.signal_ready(round);
        if (!rounds.wait_ready(round)) return;
      }
      Range const piece = piece_of(slice, round, length);
      for (int p = 0; p < launch.size(); ++p) {
        bool const in_place = rounds.is_symmetric(p) && !restage;
        transport.set_source(p, in_place ? reinterpret_cast<T const*>(comm.segment(p) + rounds.source_offset(p))
                                         : staged(p, round, launch.rank()) - piece.begin);
      }
      if (!stage_own && !source.symmetric()) transport.set_source(launch.rank(), in.pointer);
      for_each_pack<T>(block, piece.begin, piece.end, [&](auto size, std::size_t i) {
        out.store(block, i - mine.begin,
                  finish_pack(transport.load_reduce(size, i, reducer), reducer, launch.size()));
      });
      for (int p = 0; p < launch.size(); ++p) {
        if (rounds.is_symmetric(p) && !restage) transport.give_back(block, p, piece.begin, piece.end);
      }
    }
    if (!rounds.leave()) return;
  }
};

}  // namespace Koinon::Impl
