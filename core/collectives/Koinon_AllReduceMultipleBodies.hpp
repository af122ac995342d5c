// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <arrays/Koinon_Copy.hpp>
#include <collectives/Koinon_ReducePacket.hpp>
#include <collectives/Koinon_ReducedMembers.hpp>
#include <protocol/Koinon_Packets.hpp>
#include <protocol/Koinon_PullRounds.hpp>
#include <transports/Koinon_PeerLoadTransport.hpp>

#include <cstddef>

/// The bodies of all_reduce_multiple: of each member, out(i) = reduction over ranks of in(i), equal bits on every rank.
namespace Koinon::Impl {

/// Every rank sends its members to all as packets and reduces what it receives.
///
///   rank 0   a b ──► all      rank 1   a b ──► all      rank 2   a b ──► all      everyone: sum of a, sum of b
///
/// One trip, no barrier. @pre the packets fit a slot
template <class... Groups>
struct LowLatencyAllReduceMultiple {
  using Arguments = AllReduceMultipleArguments<Groups...>;

  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch, Arguments const& a) const {
    static_assert(((packet_elements<typename Groups::Element, Block> > 0) && ...),
                  "an element that exceeds a packet has no low-latency form");
    if (!launch.before_first_store()) return;
    for_each_member_packet(
        launch.block(), a,
        [&]<class Group>(Group const&, auto const& member, std::size_t packet, std::size_t i, int n) {
          send_elements(launch, member.in(), i, packet, n, [&](auto&& send) {
            KOINON_KEEP_ROLLED
            for (int p = 1; p <= receivers(launch); ++p) send(launch.peer(p));
          });
        });
    prepare_next_members(launch, a);
    launch.confirm_alone();
    for_each_member_packet(
        launch.block(), a,
        [&]<class Group>(Group const& group, auto const& member, std::size_t packet, std::size_t i, int n) {
          reduce_packet(launch, packet, member.in(), i, n, member.out(), i, group.reducer);
        });
    // Every rank sends every packet.
    std::size_t const first =
        static_cast<std::size_t>(launch.block().index()) * static_cast<std::size_t>(launch.block().threads());
    if (first < a.packets) launch.learn_all();
  }

 private:
  /// Takes the lines of the packets that an equal call needs next, while this one waits: a hint, as prepare_next.
  template <class Block>
  static KOINON_FORCE_INLINE void prepare_next_members(Launch<Block> const& launch, Arguments const& a) {
    if constexpr (Block::own_ahead_bytes > 0) {
      using Packet = typename Block::Packet;
      constexpr std::size_t head = sizeof(Packet) - Packet::payload_bytes;
      for (int t = 1; t < launch.size(); ++t) {
        std::byte* const next = launch.comm().packets(launch.peer(t), launch.rank(), 1 - launch.half());
        for_each_member_packet(launch.block(), a,
                               [&]<class Group>(Group const&, auto const&, std::size_t packet, std::size_t, int n) {
                                 Block::own_soon(reinterpret_cast<Packet*>(next) + packet,
                                                 head + static_cast<std::size_t>(n) * sizeof(typename Group::Element));
                               });
      }
    }
  }
};

/// Every rank reduces its own chunk of the sequence, from what all have staged, and stores the result to the same place
/// in the peers' staging, from where each copies it.
///
///   chunk 0 of a_0 b_0, a_1 b_1, a_2 b_2 ─► rank 0 ─► chunk 0 of the sums everywhere      ...
///
/// Safe in place: the thread that reads element i of `in` is the only one to write it.
template <class... Groups>
struct TwoShotAllReduceMultiple {
  using Arguments = AllReduceMultipleArguments<Groups...>;

  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch, Arguments const& a) const {
    Block const& block = launch.block();
    DeviceCommunicator const& comm = launch.comm();
    PullRounds<Block> rounds(launch);
    Range const slice = part_of({0, a.length}, block.index(), block.count(), Arguments::grain);
    auto const part_at = [&](int rank, std::uint32_t round) {
      return comm.segment(rank) + comm.m_layout.part(launch.half(), static_cast<int>(round & 1u)) +
             static_cast<std::size_t>(block.index()) * a.round_bytes;
    };
    auto const chunk_of = [&](Range piece, int rank) { return part_of(piece, rank, launch.size(), Arguments::grain); };
    auto const stage = [&](std::uint32_t round) {
      Range const piece = piece_of(slice, round, a.round_bytes);
      for (int p = 0; p < launch.size(); ++p) {
        for_each_elements(a, chunk_of(piece, p), [&]<class Group>(Group const&, auto const& member, Range range) {
          if (p == launch.rank() && member.in().dense) return;  // read where it is
          copy_in(block, member.in(), range,
                  begin_of<Group>(part_at(launch.rank(), round), member, piece) + range.begin);
        });
      }
    };
    auto const work = [&](std::uint32_t round, std::size_t length) {
      Range const piece = piece_of(slice, round, length);
      Range const mine = chunk_of(piece, launch.rank());
      for_each_elements(a, mine, [&]<class Group>(Group const& group, auto const& member, Range range) {
        using T = typename Group::Element;
        PeerLoadTransport<T, Block> transport(comm, rounds.source_addresses(), rounds.destination_addresses());
        block.barrier();  // nobody uses the addresses of the member before any more
        set_addresses(block, launch.size(), [&](int p) {
          T* const at = begin_of<Group>(part_at(p, round), member, piece);
          transport.set_source(p, p == launch.rank() && member.in().dense ? member.in().pointer : at);
          transport.set_destination(p, at);
        });
        for_each_pack<T>(block, range.begin, range.end, [&](auto size, std::size_t i) {
          transport.own_ahead(i);
          auto const result = transport.reduce(size, i, group.reducer);
          transport.store_all(i, result);
          member.out().store(block, i, result);
        });
      });
      block.read_staged(comm, mine.size());
      // Done of all, also of those with an empty chunk: my staging is no longer read and my results are complete.
      rounds.signal_done(round);
      if (!rounds.wait_done(round)) return false;
      for (int t = 1; t < launch.size(); ++t) {
        for_each_elements(
            a, chunk_of(piece, launch.peer(t)), [&]<class Group>(Group const&, auto const& member, Range range) {
              using T = typename Group::Element;
              T const* const from = begin_of<Group>(part_at(launch.rank(), round), member, piece) + range.begin;
              take_out(block, from, member.out(), range);
            });
      }
      return true;
    };
    PullShape const shape{
        .equal_offsets = false,
        .stores_to_all = true,
        .round_elements = a.round_bytes,
        // Block 0's slice is the longest: all blocks have as many rounds.
        .rounds = rounds_of(part_of({0, a.length}, 0, block.count(), Arguments::grain), a.round_bytes),
        .whole_elements = a.length};
    (void)rounds.pull(Placement{}, Placement{}, shape, stage, work);
  }

 private:
  /// Returns where element 0 of a member would be in a staged piece.
  template <class Group>
  [[nodiscard]] static KOINON_FORCE_INLINE typename Group::Element* begin_of(std::byte* staged,
                                                                             typename Group::Member const& member,
                                                                             Range piece) {
    return reinterpret_cast<typename Group::Element*>(
        staged + (static_cast<std::ptrdiff_t>(member.begin) - static_cast<std::ptrdiff_t>(piece.begin)));
  }
};

}  // namespace Koinon::Impl
