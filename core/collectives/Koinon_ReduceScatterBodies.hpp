// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <arrays/Koinon_Copy.hpp>
#include <collectives/Koinon_PullReduce.hpp>
#include <collectives/Koinon_PushReduce.hpp>
#include <collectives/Koinon_ReducePacket.hpp>
#include <collectives/Koinon_SentinelReduce.hpp>
#include <collectives/Koinon_Shares.hpp>
#include <protocol/Koinon_Packets.hpp>
#include <protocol/Koinon_PullRounds.hpp>
#include <reducers/Koinon_ReducerTraits.hpp>

#include <cstddef>
#include <cstdint>

/// The bodies of reduce_scatter: out of rank r = share r of the reduction over ranks of in.
namespace Koinon::Impl {

/// Is what a reduce_scatter launches with. `out` is this rank's share of `in` or apart from it.
template <class T, class R>
struct ReduceScatterArguments {
  Operand<T const> in;
  Operand<T> out;
  ReducerTraits<R, T> reducer;
  Shares shares = {};
  Placement source = {};           // symmetric only if dense
  std::size_t round_elements = 0;  // of one block and one share
};

/// Every rank sends each peer the peer's share as packets and reduces what it receives with its own.
///
///   rank 0   in[1] ──► rank 1, in[2] ──► rank 2      and so on; each reduces the shares that are its own
template <class T, class R>
struct LowLatencyReduceScatter {
  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch, ReduceScatterArguments<T, R> const& a) const {
    static_assert(packet_elements<T, Block> > 0, "an element that exceeds a packet has no low-latency form");
    if (!launch.before_first_store()) return;
    for (int p = 1; p <= receivers(launch); ++p) {
      int const to = launch.peer(p);
      Range const share = a.shares.of(to);
      for_each_packet<T>(launch.block(), share.size(), [&](std::size_t packet, std::size_t i, int elements) {
        send_elements(launch, a.in, share.begin + i, packet, elements, [&](auto&& send) { send(to); });
      });
      prepare_next<T>(launch, to, share.size());
    }
    Range const mine = a.shares.of(launch.rank());
    launch.confirm_alone();
    for_each_packet<T>(launch.block(), mine.size(), [&](std::size_t packet, std::size_t i, int elements) {
      reduce_packet(launch, packet, a.in, mine.begin + i, elements, a.out, i, a.reducer);
    });
    learn_from_packets<T>(launch, mine.size());
  }
};

/// The same over sentinels, for more than packets have room for.
template <class T, class R>
struct SentinelReduceScatter {
  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch, ReduceScatterArguments<T, R> const& a) const {
    auto const range_of = [&](int rank) { return a.shares.of(rank); };
    auto const with = [&](auto ranks_at_once) {
      SentinelReduction<false, ranks_at_once(), T, R, Block, decltype(range_of)>{
          launch, a.in, a.out, a.reducer, range_of, range_of(launch.rank()).begin}
          .run(a.shares.longest);
    };
    launch.size() <= 2 ? with(PackSize<2>{})
                       : with(PackSize<4>{});  // what is unrolled for more ranks costs its instructions
  }
};

/// Every rank reduces its own share: it reads the share of each peer's input where it is, or from the peer's staging;
/// who prefers stores gets it pushed, where not all inputs are symmetric (push_reduce).
///
///   share 0 of in_0, in_1, in_2 ─► out of rank 0      share 1 of in_0, in_1, in_2 ─► out of rank 1      ...
///
/// Safe in place: the thread that reads element i of all ranks is the only one to write it.
template <class T, class R, template <class, class> class Transport>
struct OneShotReduceScatter {
  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch, ReduceScatterArguments<T, R> const& a) const {
    Block const& block = launch.block();
    DeviceCommunicator const& comm = launch.comm();
    PullRounds<Block> rounds(launch);
    Transport<T, Block> transport(comm, rounds.source_addresses(), rounds.destination_addresses());
    // A block takes its slice of every share.
    auto const slice_of = [&](int rank) {
      return part_of(a.shares.of(rank), block.index(), block.count(), pack_elements<T, Block>);
    };
    std::size_t const block_elements = a.round_elements * static_cast<std::size_t>(launch.size());
    auto const staged = [&](int at, std::uint32_t round, int share) {
      return reinterpret_cast<T*>(comm.segment(at) + comm.m_layout.part(launch.half(), static_cast<int>(round & 1u))) +
             static_cast<std::size_t>(block.index()) * block_elements +
             static_cast<std::size_t>(share) * a.round_elements;
    };
    bool const stage_own = Transport<T, Block>::needs_equal_offsets || !a.in.dense;
    auto const stage = [&](std::uint32_t round) {
      for (int p = 0; p < launch.size(); ++p) {
        if (p == launch.rank() && !stage_own) continue;
        Range const piece = piece_of(slice_of(p), round, a.round_elements);
        if (piece.size() == 0) continue;
        rounds.note_streamed(Impl::stage(block, comm, a.in, piece, staged(launch.rank(), round, p)));
      }
    };
    Range const slice = slice_of(launch.rank());
    Range const mine = a.shares.of(launch.rank());
    auto const work = [&](std::uint32_t round, std::size_t length) {
      Range const piece = piece_of(slice, round, length);
      set_sources(transport, rounds, launch, a.in,
                  [&](int p) { return staged(p, round, launch.rank()) - piece.begin; });
      transport.begin();
      for_each_pack<T>(block, piece.begin, piece.end, [&](auto size, std::size_t i) {
        a.out.store(block, i - mine.begin, transport.reduce(size, i, a.reducer));
      });
      transport.end();
      give_back_sources<T>(transport, rounds, launch, piece);
      return true;
    };
    PullShape const shape{.equal_offsets = Transport<T, Block>::needs_equal_offsets,
                          .stores_to_all = false,
                          .round_elements = a.round_elements,
                          .rounds = rounds_of_shares(a.shares, block, pack_elements<T, Block>, a.round_elements),
                          .whole_elements = a.shares.longest};
    if constexpr (pushes<Block, Transport<T, Block>>) {
      auto const push = [&] {
        return push_reduce<false>(launch, rounds, transport, a.in, a.out, a.reducer, a.shares.longest, a.round_elements,
                                  [&](int rank) { return a.shares.of(rank); });
      };
      if (!rounds.pull_or_push(a.source, {}, shape, work, push)) return;
    } else {
      if (!rounds.pull(a.source, {}, shape, stage, work)) return;
    }
    if (!rounds.leave()) return;
  }
};

}  // namespace Koinon::Impl
