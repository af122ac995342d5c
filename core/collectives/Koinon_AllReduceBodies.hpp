// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <arrays/Koinon_Copy.hpp>
#include <collectives/Koinon_PullReduce.hpp>
#include <collectives/Koinon_PushReduce.hpp>
#include <collectives/Koinon_ReducePacket.hpp>
#include <collectives/Koinon_SentinelReduce.hpp>
#include <protocol/Koinon_Packets.hpp>
#include <protocol/Koinon_PullRounds.hpp>
#include <reducers/Koinon_ReducerTraits.hpp>

#include <cstddef>
#include <cstdint>

/// The bodies of all_reduce: out(i) = reduction over ranks of in(i), the same bits on every rank.
namespace Koinon::Impl {

/// Is what an all_reduce launches with. `in` and `out` have equal counts; `out` is `in` or apart from it.
template <class T, class R>
struct AllReduceArguments {
  Operand<T const> in;
  Operand<T> out;
  ReducerTraits<R, T> reducer;
  Placement source = {};           // symmetric only if dense
  Placement destination = {};      // the same
  std::size_t round_elements = 0;  // of one block; pushed: and of one of the 2 R pieces that it stages
};

/// Every rank sends its input to all as packets and reduces what it receives.
///
///   rank 0   a ──► all      rank 1   b ──► all      rank 2   c ──► all      everyone: a + b + c
///
/// One trip, no barrier; `in` is free when the kernel ends. @pre the packets of `in` fit a slot
template <class T, class R>
struct LowLatencyAllReduce {
  template <class Block>
  static KOINON_FORCE_INLINE void prefetch(Block const& block, AllReduceArguments<T, R> const& a) {
    prefetch_packet<T>(block, a.in);
  }

  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch, AllReduceArguments<T, R> const& a) const {
    static_assert(packet_elements<T, Block> > 0, "an element that exceeds a packet has no low-latency form");
    if (!launch.before_first_store()) return;
    std::size_t const count = a.in.count;
    for_each_packet<T>(launch.block(), count, [&](std::size_t packet, std::size_t i, int elements) {
      send_elements(launch, a.in, i, packet, elements, [&](auto&& send) {
        KOINON_KEEP_ROLLED
        for (int p = 1; p <= receivers(launch); ++p) send(launch.peer(p));
      });
    });
    for (int p = 1; p < launch.size(); ++p) prepare_next<T>(launch, launch.peer(p), count);
    launch.confirm_alone();
    for_each_packet<T>(launch.block(), count, [&](std::size_t packet, std::size_t i, int elements) {
      reduce_packet(launch, packet, a.in, i, elements, a.out, i, a.reducer);
    });
    learn_from_packets<T>(launch, count);
  }
};

/// Up to so many ranks give each other everything over sentinels; more than these take two shots.
inline constexpr int sentinels_to_all = 2;
/// Returns between how many ranks an all_reduce over sentinels is divided.
[[nodiscard]] constexpr int sentinel_owners(int ranks) { return ranks > sentinels_to_all ? ranks : 1; }

/// The same over sentinels, for more than packets have room for: few ranks as above; of more each rank reduces a chunk
/// and sends the result to all.
template <class T, class R, bool FansOut>
struct SentinelAllReduce {
  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch, AllReduceArguments<T, R> const& a) const {
    auto const range_of = [&](int rank) {
      return FansOut ? part_of({0, a.in.count}, rank, launch.size(), 16 / sizeof(T)) : Range{0, a.in.count};
    };
    using RangeOf = decltype(range_of);
    constexpr int at_once = FansOut ? 4 : sentinels_to_all;
    SentinelReduction<FansOut, at_once, T, R, Block, RangeOf>{launch, a.in, a.out, a.reducer, range_of, 0}.run(
        range_of(0).size());
  }
};

/// Every rank reduces everything: it reads each peer's input where it is, or from the peer's staging.
///
///   in_0 ─┐            in_0 ─┐            in_0 ─┐
///   in_1 ─┼─► out_0    in_1 ─┼─► out_1    in_1 ─┼─► out_2
///   in_2 ─┘            in_2 ─┘            in_2 ─┘
///
/// In place from staging only: peers still read what the result would overwrite.
template <class T, class R, template <class, class> class Transport>
struct OneShotAllReduce {
  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch, AllReduceArguments<T, R> const& a) const {
    Block const& block = launch.block();
    DeviceCommunicator const& comm = launch.comm();
    PullRounds<Block> rounds(launch);
    Transport<T, Block> transport(comm, rounds.source_addresses(), rounds.destination_addresses());
    std::size_t const count = a.in.count;
    Range const slice = part_of({0, count}, block.index(), block.count(), pack_elements<T, Block>);
    std::size_t const part_offset = static_cast<std::size_t>(block.index()) * a.round_elements;
    auto const staged = [&](int rank, std::uint32_t round) {
      return reinterpret_cast<T*>(comm.segment(rank) +
                                  comm.m_layout.part(launch.half(), static_cast<int>(round & 1u))) +
             part_offset;
    };
    auto const stage = [&](std::uint32_t round) {
      Range const piece = piece_of(slice, round, a.round_elements);
      if (piece.size() > 0) rounds.note_streamed(Impl::stage(block, comm, a.in, piece, staged(launch.rank(), round)));
    };
    auto const work = [&](std::uint32_t round, std::size_t length) {
      Range const piece = piece_of(slice, round, length);
      set_sources(transport, rounds, launch, a.in, [&](int p) { return staged(p, round) - piece.begin; });
      transport.begin();
      for_each_pack<T>(block, piece.begin, piece.end,
                       [&](auto size, std::size_t i) { a.out.store(block, i, transport.reduce(size, i, a.reducer)); });
      transport.end();
      give_back_sources<T>(transport, rounds, launch, piece);
      return true;
    };
    bool const in_place = static_cast<void const*>(a.in.pointer) == a.out.pointer;
    PullShape const shape{.equal_offsets = Transport<T, Block>::needs_equal_offsets,
                          .stores_to_all = false,
                          .round_elements = a.round_elements,
                          .rounds = rounds_of(slice, a.round_elements),
                          .whole_elements = count};
    if (!rounds.pull(in_place ? Placement{} : a.source, {}, shape, stage, work)) return;
    if (!rounds.leave()) return;
  }
};

/// Every rank reduces its own chunk and stores the result to all.
///
///   chunk 0 of in_0, in_1, in_2 ─► rank 0 ─► chunk 0 of out_0, out_1, out_2      and so on for each rank's chunk
///
/// Safe in place: the thread that reads element i of all ranks is the only one to write it. Who prefers stores pushes
/// what is not symmetric (push_reduce). Results go straight to symmetric outputs, else to the place in the peers'
/// staging where the owner read what they gave, from where each copies them: lines that carry data both ways move
/// between caches half as often.
template <class T, class R, template <class, class> class Transport>
struct TwoShotAllReduce {
  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch, AllReduceArguments<T, R> const& a) const {
    Block const& block = launch.block();
    DeviceCommunicator const& comm = launch.comm();
    PullRounds<Block> rounds(launch);
    Transport<T, Block> transport(comm, rounds.source_addresses(), rounds.destination_addresses());
    std::size_t const count = a.in.count;
    Range const slice = part_of({0, count}, block.index(), block.count(), pack_elements<T, Block>);
    std::size_t const part_offset = static_cast<std::size_t>(block.index()) * a.round_elements;
    auto const part_at = [&](int rank, int part) {
      return reinterpret_cast<T*>(comm.segment(rank) + comm.m_layout.part(launch.half(), part)) + part_offset;
    };
    auto const chunk_of = [&](Range piece, int rank) {
      return part_of(piece, rank, launch.size(), pack_elements<T, Block>);
    };
    // The own chunk is read from `in` itself, unless that is strided or a multicast address reads it.
    bool const stage_own = Transport<T, Block>::needs_equal_offsets || !a.in.dense;
    auto const stage = [&](std::uint32_t round) {
      Range const piece = piece_of(slice, round, a.round_elements);
      T* const to = part_at(launch.rank(), static_cast<int>(round & 1u));
      for (int p = 0; p < launch.size(); ++p) {
        if (p == launch.rank() && !stage_own) continue;
        Range const chunk = chunk_of(piece, p);
        if (chunk.size() == 0) continue;
        copy_in(block, a.in, chunk, to + (chunk.begin - piece.begin));
      }
    };
    auto const work = [&](std::uint32_t round, std::size_t length) {
      Range const piece = piece_of(slice, round, length);
      Range const mine = chunk_of(piece, launch.rank());
      int const part = static_cast<int>(round & 1u);
      set_sources(transport, rounds, launch, a.in, [&](int p) { return part_at(p, part) - piece.begin; });
      set_addresses(block, launch.size(), [&](int p) {
        transport.set_destination(
            p, rounds.is_direct() ? reinterpret_cast<T*>(rounds.destination(p)) : part_at(p, part) - piece.begin);
      });
      // Lines that carry data both ways are not streamed: they stay where they are written next.
      if (rounds.is_direct()) rounds.note_streamed(transport.stream_stores(block, mine.size() * sizeof(T)));
      transport.begin();
      for_each_pack<T>(block, mine.begin, mine.end, [&](auto size, std::size_t i) {
        transport.own_ahead(i);
        auto const result = transport.reduce(size, i, a.reducer);
        transport.store_all(i, result);
        a.out.store(block, i, result);
      });
      transport.end();
      give_back_sources<T>(transport, rounds, launch, mine);
      // Done of all, also of those with an empty chunk: my source is no longer read and my results are complete.
      rounds.signal_done(round);
      if (!rounds.wait_done(round)) return false;
      for (int p = 1; p < launch.size() && !rounds.is_direct(); ++p) {
        Range const chunk = chunk_of(piece, launch.peer(p));
        T const* const from = part_at(launch.rank(), part) + (chunk.begin - piece.begin);
        if (chunk.size() > 0) take_out(block, from, a.out, chunk);
      }
      return true;
    };
    PullShape const shape{.equal_offsets = Transport<T, Block>::needs_equal_offsets,
                          .stores_to_all = true,
                          .round_elements = a.round_elements,
                          .rounds = rounds_of(slice, a.round_elements),
                          .whole_elements = count};
    if constexpr (pushes<Block, Transport<T, Block>>) {
      auto const share_of = [&](int rank) { return chunk_of({0, count}, rank); };
      (void)rounds.pull_or_push(a.source, a.destination, shape, work, [&] {
        return push_reduce<true>(launch, rounds, transport, a.in, a.out, a.reducer, share_of(0).size(),
                                 a.round_elements, share_of);
      });
    } else {
      (void)rounds.pull(a.source, a.destination, shape, stage, work);
    }
  }
};

}  // namespace Koinon::Impl
