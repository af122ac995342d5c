// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <arrays/Koinon_Copy.hpp>
#include <collectives/Koinon_Shares.hpp>
#include <Koinon_Macros.hpp>
#include <protocol/Koinon_Packets.hpp>
#include <protocol/Koinon_PullRounds.hpp>

#include <cstddef>
#include <cstdint>

/// The bodies of all_gather: share p of out = in of rank p, on every rank, bit for bit.
namespace Koinon::Impl {

/// Is what an all_gather launches with. `in` is this rank's share of `out` or apart from it.
template <class T>
struct AllGatherArguments {
  Operand<T const> in;
  Operand<T> out;
  Shares shares = {};
  Placement source = {};                 // symmetric only if dense; absent where this rank has no rows
  Placement destination = {};            // symmetric only if dense
  std::size_t round_elements = 0;        // of one block, where each rank stages its own rows
  std::size_t share_round_elements = 0;  // of one block and one share, where all ranks' rows are staged
};

/// Says whether this rank's rows, if it has any, are in their place already: then nothing may write them, not even
/// themselves, for peers read them. A single row is dense also in a strided whole.
template <class T>
[[nodiscard]] KOINON_FORCE_INLINE bool is_in_place(Operand<T const> const& in, Operand<T> const& out,
                                                   std::size_t share_begin) {
  return in.count > 0 && in.pointer == out.address(share_begin);
}

/// Copies this rank's rows to their place in the result.
template <class T, class Block>
KOINON_FORCE_INLINE void copy_own_share(Block const& block, Operand<T const> const& in, Operand<T> const& out,
                                        Range piece, std::size_t share_begin) {
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
  template <class Block>
  static KOINON_FORCE_INLINE void prefetch(Block const& block, AllGatherArguments<T> const& a) {
    prefetch_packet<T>(block, a.in);
  }

  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch, AllGatherArguments<T> const& a) const {
    static_assert(packet_elements<T, Block> > 0, "an element that exceeds a packet has no low-latency form");
    if (!launch.before_first_store()) return;
    Range const mine = a.shares.of(launch.rank());
    for_each_packet<T>(launch.block(), mine.size(), [&](std::size_t packet, std::size_t i, int elements) {
      send_elements(launch, a.in, i, packet, elements, [&](auto&& send) {
        KOINON_KEEP_ROLLED
        for (int p = 1; p <= receivers(launch); ++p) send(launch.peer(p));
      });
    });
    for (int p = 1; p < launch.size(); ++p) prepare_next<T>(launch, launch.peer(p), mine.size());
    bool const in_place = is_in_place(a.in, a.out, mine.begin);
    bool from_all = true;
    for (int p = 0; p < launch.size(); ++p) {
      from_all = from_all && (p == launch.rank() || has_packets<T>(launch.block(), a.shares.of(p).size()));
    }
    launch.confirm_alone();
    bool arrived = true;
    if constexpr (Block::packets_in_flight > 1) {
      for_each_packet<T>(launch.block(), a.shares.longest, [&](std::size_t packet, std::size_t at, int) {
        arrived = arrived && with_few_packets_in_flight(launch.size(), [&](auto most) {
                    return receive_from_all<most()>(launch, a, packet, at, in_place);
                  });
      });
    } else {
      for_each_packet<T>(launch.block(), in_place ? 0 : mine.size(), [&](std::size_t, std::size_t i, int elements) {
        T room[packet_elements<T, Block>];
        a.out.store_some(mine.begin + i, a.in.read(room, i, elements), elements);
      });
      for (int i = 1; i < launch.size() && arrived; ++i) {
        int const from = launch.peer(i);
        Range const share = a.shares.of(from);
        for_each_packet<T>(launch.block(), share.size(), [&](std::size_t packet, std::size_t at, int elements) {
          T room[packet_elements<T, Block>];
          T const* const values = arrived ? receive_packet(launch, from, packet, room, elements) : nullptr;
          arrived = values != nullptr;
          if (arrived) a.out.store_some(share.begin + at, values, elements);
        });
      }
    }
    if (arrived && from_all) launch.learn_all();
  }

 private:
  /// Receives the packets of one place in every rank's share, of those that have one there.
  template <int Most, class Block>
  [[nodiscard]] static KOINON_FORCE_INLINE bool receive_from_all(Launch<Block> const& launch, AllGatherArguments<T> const& a,
                                                                 std::size_t packet, std::size_t at, bool in_place) {
    constexpr std::size_t n = packet_elements<T, Block>;
    KOINON_KEEP_ROLLED
    for (int first = 0; first < launch.size(); first += Most) {
      typename Block::PacketContent contents[Most];
      auto const wants = [&](int s) {
        int const p = first + s;
        return p < launch.size() && !(in_place && p == launch.rank()) && at < a.shares.of(p).size();
      };
      if (!receive_contents<Most>(launch, first, packet, wants, contents)) return false;
      KOINON_UNROLL
      for (int s = 0; s < Most; ++s) {
        if (!wants(s)) continue;
        Range const share = a.shares.of(first + s);
        std::size_t const left = share.size() - at;
        store_content<T, Block>(a.out, share.begin + at, contents[s], static_cast<int>(left < n ? left : n));
      }
    }
    return true;
  }
};

/// Every rank reads each peer's rows where they are, or from the peer's staging.
///
///   in_0, in_1, in_2 ─► out_0      in_0, in_1, in_2 ─► out_1      in_0, in_1, in_2 ─► out_2
template <class T>
struct OneShotAllGather {
  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch, AllGatherArguments<T> const& a) const {
    Block const& block = launch.block();
    DeviceCommunicator const& comm = launch.comm();
    PullRounds<Block> rounds(launch);
    // At whole packs: a slice that begins between would leave all of its copies unaligned.
    constexpr std::size_t grain = pack_elements<T, Block>;
    auto const slice_of = [&](int rank) { return part_of(a.shares.of(rank), block.index(), block.count(), grain); };
    auto const staged = [&](int rank, std::uint32_t round) {
      return reinterpret_cast<T*>(comm.segment(rank) + comm.m_layout.part(launch.half(), static_cast<int>(round & 1u))) +
             static_cast<std::size_t>(block.index()) * a.round_elements;
    };
    Range const mine = slice_of(launch.rank());
    std::size_t const share_begin = a.shares.of(launch.rank()).begin;
    auto const stage = [&](std::uint32_t round) {
      Range const piece = piece_of(mine, round, a.round_elements);
      if (piece.size() == 0) return;
      rounds.note_streamed(Impl::stage(block, comm, a.in, {piece.begin - share_begin, piece.end - share_begin},
                                       staged(launch.rank(), round)));
    };
    auto const work = [&](std::uint32_t round, std::size_t length) {
      std::size_t read = 0;  // elements that peers staged
      for (int turn = 1; turn < launch.size(); ++turn) {
        int const p = launch.peer(turn);
        Range const piece = piece_of(slice_of(p), round, length);
        if (piece.size() == 0) continue;
        bool const in_place = rounds.reads_in_place(p);
        T const* const from =
            in_place ? reinterpret_cast<T const*>(rounds.source(p)) + (piece.begin - a.shares.of(p).begin)
                     : staged(p, round);
        copy_out(block, from, a.out, piece);
        if (in_place) {
          block.give_back(comm, from, piece.size() * sizeof(T));
        } else {
          read += piece.size();
        }
      }
      block.read_staged(comm, read * sizeof(T));
      Range const own = piece_of(mine, round, length);
      if (own.size() > 0 && !is_in_place(a.in, a.out, share_begin)) {
        copy_own_share(block, a.in, a.out, own, share_begin);
      }
      return true;
    };
    PullShape const shape{.equal_offsets = false,
                          .stores_to_all = false,
                          .round_elements = a.round_elements,
                          .rounds = rounds_of_shares(a.shares, block, grain, a.round_elements),
                          .whole_elements = a.shares.longest};
    if (!rounds.pull(a.source, {}, shape, stage, work)) return;
    if (!rounds.leave()) return;
  }
};

/// Every rank stores its rows to all: straight into symmetric outputs, else into the peers' staging.
///
///   in_0 ─► share 0 of out_0, out_1, out_2      in_1 ─► share 1 of out_0, out_1, out_2      ...
template <class T, template <class, class> class Transport>
struct StoreAllGather {
  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch, AllGatherArguments<T> const& a) const {
    Block const& block = launch.block();
    DeviceCommunicator const& comm = launch.comm();
    PullRounds<Block> rounds(launch);
    Transport<T, Block> transport(comm, rounds.source_addresses(), rounds.destination_addresses());
    auto const slice_of = [&](int rank) {
      return part_of(a.shares.of(rank), block.index(), block.count(), pack_elements<T, Block>);
    };
    std::size_t const block_elements = a.share_round_elements * static_cast<std::size_t>(launch.size());
    auto const staged = [&](int at, std::uint32_t round, int share) {
      return reinterpret_cast<T*>(comm.segment(at) + comm.m_layout.part(launch.half(), static_cast<int>(round & 1u))) +
             static_cast<std::size_t>(block.index()) * block_elements +
             static_cast<std::size_t>(share) * a.share_round_elements;
    };
    // The entry acquires that each peer's output may be written; it carries no source.
    if (!rounds.publish({}, a.destination) || !rounds.meet()) return;
    rounds.choose_destinations(Transport<T, Block>::needs_equal_offsets);
    bool const direct = rounds.is_direct();
    std::size_t const length = direct ? a.shares.longest : a.share_round_elements;
    std::uint32_t const last =
        direct ? 1 : rounds_of_shares(a.shares, block, pack_elements<T, Block>, a.share_round_elements);
    Range const mine = slice_of(launch.rank());
    std::size_t const share_begin = a.shares.of(launch.rank()).begin;
    bool const in_place = is_in_place(a.in, a.out, share_begin);
    auto const store = [&](std::uint32_t round) {
      Range const piece = piece_of(mine, round, length);
      set_addresses(block, launch.size(), [&](int p) {
        transport.set_destination(p, direct ? reinterpret_cast<T*>(rounds.destination(p))
                                            : staged(p, round, launch.rank()) - piece.begin);
      });
      rounds.note_streamed(transport.stream_stores(block, piece.size() * sizeof(T)));
      transport.begin();
      for_each_pack<T>(block, piece.begin, piece.end, [&](auto size, std::size_t i) {
        auto const pack = a.in.template load<size()>(block, i - share_begin);
        transport.store_all(i, pack);
        if (!in_place) a.out.store(block, i, pack);
      });
      transport.end();
    };
    auto const collect = [&](std::uint32_t round) {
      for (int turn = 1; turn < launch.size() && !direct; ++turn) {
        int const p = launch.peer(turn);
        Range const arrived = piece_of(slice_of(p), round, length);
        if (arrived.size() > 0) copy_out<T>(block, staged(launch.rank(), round, p), a.out, arrived);
      }
    };
    // done(j) follows the copy of round j - 1, so the part of round j + 1 is free when all are seen: what is stored into it
    // is under way while round j is copied.
    store(0);
    rounds.signal_done(0);
    for (std::uint32_t round = 0; round < last; ++round) {
      if (!rounds.wait_done(round)) return;
      if (round + 1 < last) store(round + 1);
      collect(round);
      if (round + 1 < last) rounds.signal_done(round + 1);
    }
  }
};

}  // namespace Koinon::Impl
