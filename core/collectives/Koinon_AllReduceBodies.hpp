// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <arrays/Koinon_Copy.hpp>
#include <collectives/Koinon_ReducePacket.hpp>
#include <Koinon_Macros.hpp>
#include <protocol/Koinon_Packets.hpp>
#include <protocol/Koinon_PullRounds.hpp>
#include <reducers/Koinon_ReducerTraits.hpp>

#include <cstddef>
#include <cstdint>

/// The bodies of all_reduce: out(i) = reduction over ranks of in(i), the same bits on every rank.
namespace Koinon::Impl {

/// Every rank sends its input to all as packets and reduces what it receives.
///
///   rank 0   a ──► all      rank 1   b ──► all      rank 2   c ──► all      everyone: a + b + c
///
/// One trip, no barrier; `in` is free when the kernel ends. @pre the packets of `count` elements fit a slot
template <class T, class R>
struct LowLatencyAllReduce {
  Operand<T const> in;
  Operand<T> out;
  std::size_t count;
  ReducerTraits<R, T> reducer;

  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch) const {
    constexpr int n = packet_elements<T, Block>;
    static_assert(n > 0, "an element that exceeds a packet has no low-latency form");
    if (!launch.before_first_store()) return;
    PacketSender<T, Block> sender(launch, count);
    for_each_packet<T>(launch.block(), count, [&](std::size_t packet, std::size_t i, int elements) {
      T room[n];
      T const* const own = in.read(room, i, elements);
      for (int p = 1; p < launch.size(); ++p) sender.send(launch.peer(p), packet, own, elements);
    });
    for (int p = 1; p < launch.size(); ++p) sender.finish(launch.peer(p));
    for_each_packet<T>(launch.block(), count, [&](std::size_t packet, std::size_t i, int elements) {
      T room[n];
      T const* const own = in.read(room, i, elements);
      reduce_packet(launch, packet, own, elements, out, i, reducer);
    });
    learn_from_packets<T>(launch, count);
  }
};

/// Every rank reduces everything: it reads each peer's input where it is, or from the peer's staging.
///
///   in_0 ─┐            in_0 ─┐            in_0 ─┐
///   in_1 ─┼─► out_0    in_1 ─┼─► out_1    in_1 ─┼─► out_2
///   in_2 ─┘            in_2 ─┘            in_2 ─┘
///
/// In place only from staging: peers still read what the result would overwrite.
template <class T, class R, template <class, class> class Transport>
struct OneShotAllReduce {
  Operand<T const> in;
  Operand<T> out;
  std::size_t count;
  ReducerTraits<R, T> reducer;
  Placement source;            // symmetric only if dense and not `out`
  std::size_t round_elements;  // of one block

  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch) const {
    Block const& block = launch.block();
    DeviceCommunicator const& comm = launch.comm();
    PullRounds<Block> rounds(launch);
    Transport<T, Block> transport(comm, rounds.source_addresses(), rounds.destination_addresses());
    Range const slice = part_of({0, count}, block.index(), block.count(), pack_elements<T, Block>);
    std::size_t const part_offset = static_cast<std::size_t>(block.index()) * round_elements;
    auto const staged = [&](int rank, std::uint32_t round) {
      return reinterpret_cast<T*>(comm.segment(rank) + comm.m_layout.part(launch.half(), static_cast<int>(round & 1u))) +
             part_offset;
    };
    auto const stage = [&](std::uint32_t round) {
      Range const piece = piece_of(slice, round, round_elements);
      if (piece.size() > 0) rounds.note_streamed(Impl::stage(block, comm, in, piece, staged(launch.rank(), round)));
    };

    if (!launch.before_first_store()) return;
    if (source.staged()) stage(0);
    if (!rounds.publish(source, {}) || !rounds.meet()) return;
    // A multicast address needs one offset: where sources lie apart all ranks see it and stage what is symmetric too.
    bool const restage = Transport<T, Block>::needs_equal_offsets && !rounds.sources_are_equal();
    bool const whole = rounds.all_sources_symmetric() && !restage;
    if (restage) {
      if (source.symmetric()) stage(0);
      rounds.signal_ready(0);
      if (!rounds.wait_ready(0)) return;
    }
    std::size_t const length = whole ? count : round_elements;
    std::uint32_t const last = whole ? 1 : rounds_of(slice, round_elements);
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
                                         : staged(p, round) - piece.begin);
      }
      // The own contribution is read where it is: the staged copy may have left the caches.
      if (!Transport<T, Block>::needs_equal_offsets && in.dense) transport.set_source(launch.rank(), in.pointer);
      for_each_pack<T>(block, piece.begin, piece.end, [&](auto size, std::size_t i) {
        out.store(block, i, finish_pack(transport.load_reduce(size, i, reducer), reducer, launch.size()));
      });
      for (int p = 0; p < launch.size(); ++p) {
        if (rounds.is_symmetric(p) && !restage) transport.give_back(block, p, piece.begin, piece.end);
      }
    }
    if (!rounds.leave()) return;
  }
};

/// Every rank reduces its own chunk and stores the result to all.
///
///   chunk 0 of in_0, in_1, in_2 ─► rank 0 ─► chunk 0 of out_0, out_1, out_2      and so on for each rank's chunk
///
/// Safe in place: the thread that reads element i of all ranks is the only one to write it. Results go straight to
/// symmetric outputs, else to the peers' staging, from where each copies them.
template <class T, class R, template <class, class> class Transport>
struct TwoShotAllReduce {
  Operand<T const> in;
  Operand<T> out;
  std::size_t count;
  ReducerTraits<R, T> reducer;
  Placement source;
  Placement destination;
  std::size_t round_elements;

  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch) const {
    Block const& block = launch.block();
    DeviceCommunicator const& comm = launch.comm();
    PullRounds<Block> rounds(launch);
    Transport<T, Block> transport(comm, rounds.source_addresses(), rounds.destination_addresses());
    Range const slice = part_of({0, count}, block.index(), block.count(), pack_elements<T, Block>);
    std::size_t const part_offset = static_cast<std::size_t>(block.index()) * round_elements;
    auto const part_at = [&](int rank, int part) {
      return reinterpret_cast<T*>(comm.segment(rank) + comm.m_layout.part(launch.half(), part)) + part_offset;
    };
    auto const chunk_of = [&](Range piece, int rank) {
      return part_of(piece, rank, launch.size(), pack_elements<T, Block>);
    };
    auto const stage = [&](std::uint32_t round, bool own_chunk) {
      Range const piece = piece_of(slice, round, round_elements);
      T* const to = part_at(launch.rank(), static_cast<int>(round & 1u));
      for (int p = 0; p < launch.size(); ++p) {
        if (p == launch.rank() && !own_chunk) continue;
        Range const chunk = chunk_of(piece, p);
        if (chunk.size() > 0) rounds.note_streamed(Impl::stage(block, comm, in, chunk, to + (chunk.begin - piece.begin)));
      }
    };
    // The own chunk is read from `in` itself, unless that is strided or a multicast address reads it.
    bool const stage_own = Transport<T, Block>::needs_equal_offsets || !in.dense;

    if (!launch.before_first_store()) return;
    if (source.staged()) stage(0, stage_own);
    if (!rounds.publish(source, destination) || !rounds.meet()) return;
    bool const equal = Transport<T, Block>::needs_equal_offsets;
    bool const restage = equal && !rounds.sources_are_equal();
    bool const direct = rounds.all_destinations_symmetric() && !(equal && !rounds.destinations_are_equal());
    bool const whole = rounds.all_sources_symmetric() && !restage && direct;
    if (restage) {
      if (source.symmetric()) stage(0, stage_own);
      rounds.signal_ready(0);
      if (!rounds.wait_ready(0)) return;
    }
    std::size_t const length = whole ? count : round_elements;
    std::uint32_t const last = whole ? 1 : rounds_of(slice, round_elements);
    for (std::uint32_t round = 0; round < last; ++round) {
      if (round > 0) {
        if (restage || source.staged()) stage(round, stage_own);
        rounds.signal_ready(round);
        if (!rounds.wait_ready(round)) return;
      }
      Range const piece = piece_of(slice, round, length);
      Range const mine = chunk_of(piece, launch.rank());
      int const part = static_cast<int>(round & 1u);
      for (int p = 0; p < launch.size(); ++p) {
        bool const in_place = rounds.is_symmetric(p) && !restage;
        transport.set_source(p, in_place ? reinterpret_cast<T const*>(comm.segment(p) + rounds.source_offset(p))
                                         : part_at(p, part) - piece.begin);
        transport.set_destination(p, direct ? reinterpret_cast<T*>(comm.segment(p) + rounds.destination_offset(p))
                                            : part_at(p, 2 + part) - piece.begin);
      }
      if (!stage_own && !source.symmetric()) transport.set_source(launch.rank(), in.pointer);
      rounds.note_streamed(transport.stream_stores(block, mine.size() * sizeof(T)));
      for_each_pack<T>(block, mine.begin, mine.end, [&](auto size, std::size_t i) {
        auto const result = finish_pack(transport.load_reduce(size, i, reducer), reducer, launch.size());
        transport.store_all(i, result);
        out.store(block, i, result);
      });
      for (int p = 0; p < launch.size(); ++p) {
        if (rounds.is_symmetric(p) && !restage) transport.give_back(block, p, mine.begin, mine.end);
      }
      // Done of all, also of those with an empty chunk: my source is no longer read and my results are complete.
      rounds.signal_done(round);
      if (!rounds.wait_done(round)) return;
      if (direct) continue;
      for (int p = 1; p < launch.size(); ++p) {
        Range const chunk = chunk_of(piece, launch.peer(p));
        T const* const from = part_at(launch.rank(), 2 + part) + (chunk.begin - piece.begin);
        if (chunk.size() > 0) copy_out(block, from, out, chunk);
      }
    }
  }
};

}  // namespace Koinon::Impl
