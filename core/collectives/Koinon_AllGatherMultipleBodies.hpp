// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <collectives/Koinon_GatheredMembers.hpp>
#include <protocol/Koinon_Packets.hpp>
#include <protocol/Koinon_PullRounds.hpp>

#include <cstddef>
#include <cstdint>

/// The bodies of all_gather_multiple: of each member, rows offset(p) .. of out = in of rank p, on every rank, bit for
/// bit.
namespace Koinon::Impl {

/// Every rank sends its rows of all members to all as packets, one stream of them.
///
///   rank 0   a b c ──► all      rank 1   a b c ──► all      rank 2   a b c ──► all
template <int Room>
struct LowLatencyAllGatherMultiple {
  using Arguments = AllGatherMultipleArguments<Room>;
  template <class Block>
  static constexpr int payload = packet_elements<std::uint8_t, Block>;

  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch, Arguments const& a) const {
    if (!launch.before_first_store()) return;
    Range const mine = a.shares.of(launch.rank());
    for_each_packet<std::uint8_t>(launch.block(), a.length, [&](std::size_t packet, std::size_t i, int n) {
      send(launch, a, packet, {i, i + static_cast<std::size_t>(n)}, mine.size());
    });
    if (mine.size() > 0) {
      for (int p = 1; p < launch.size(); ++p) prepare_next<std::uint8_t>(launch, launch.peer(p), a.length);
    }
    bool const from_all = first_packet_is_from_all(launch, a);
    launch.confirm_alone();
    bool arrived = true;
    for_each_packet<std::uint8_t>(launch.block(), a.length, [&](std::size_t packet, std::size_t i, int n) {
      Range const piece{i, i + static_cast<std::size_t>(n)};
      if constexpr (Block::packets_in_flight > 1) {
        arrived = arrived && with_packets_in_flight<Block>(launch.size(), [&](auto most) {
                    return receive_from_all<most()>(launch, a, packet, piece);
                  });
      } else {
        keep_own(a, piece, mine);
        for (int t = 1; t < launch.size() && arrived; ++t) arrived = receive(launch, a, packet, piece, launch.peer(t));
      }
    });
    if (arrived && from_all) launch.learn_all();
  }

 private:
  template <class Block>
  static KOINON_FORCE_INLINE void send(Launch<Block> const& launch, Arguments const& a, std::size_t packet, Range piece,
                                       std::size_t rows) {
    PacketPart<Arguments> const part(a, rows, piece);
    if (part.bytes == 0) return;
    std::uint8_t room[payload<Block>];
    bool const direct = part.only != nullptr && part.only->in().is_dense();
    if (!direct) put_together(a, rows, piece, room);
    auto const* const values = direct ? reinterpret_cast<std::uint8_t const*>(part.only->in().pointer + part.at) : room;
    if constexpr (Block::packets_in_flight > 1) {
      auto const content = direct ? Block::load_content(values, part.bytes)
                                  : content_of<std::uint8_t, Block>(room, part.bytes);
      KOINON_KEEP_ROLLED
      for (int p = 1; p <= receivers(launch); ++p) {
        Block::send_content(packet_at(launch, launch.peer(p), launch.rank(), packet), content, launch.number());
      }
    } else {
      for (int p = 1; p <= receivers(launch); ++p) {
        Block::send_packet(packet_at(launch, launch.peer(p), launch.rank(), packet), values, part.bytes,
                           launch.number());
      }
    }
  }

  /// Puts a packet of several members together. What is nobody's is zero.
  static KOINON_CALLED_FUNCTION void put_together(Arguments const& a, std::size_t rows, Range piece,
                                                  std::uint8_t* room) {
    std::size_t filled = 0;
    for_each_part(a, rows, piece, [&](auto const& member, Range range, std::size_t before) {
      for (; filled < before; ++filled) room[filled] = 0;
      member.in().load(reinterpret_cast<std::byte*>(room) + before, range.begin, range.size());
      filled = before + range.size();
    });
  }
  static KOINON_CALLED_FUNCTION void take_apart(Arguments const& a, Range share, Range piece,
                                                std::uint8_t const* values) {
    for_each_part(a, share.size(), piece, [&](auto const& member, Range range, std::size_t before) {
      member.out().store(share.begin * member.row_bytes + range.begin,
                         reinterpret_cast<std::byte const*>(values) + before, range.size());
    });
  }

  static KOINON_FORCE_INLINE void keep_own(Arguments const& a, Range piece, Range mine) {
    for_each_part(a, mine.size(), piece, [&](auto const& member, Range range, std::size_t) {
      if (has_rows_in_place(member, mine.begin)) return;
      constexpr std::size_t most = 256;
      std::byte room[most];
      for (std::size_t i = range.begin; i < range.end; i += most) {
        std::size_t const n = smaller(most, range.end - i);
        if (!member.in().is_dense()) member.in().load(room, i, n);
        member.out().store(mine.begin * member.row_bytes + i, member.in().is_dense() ? member.in().pointer + i : room,
                           n);
      }
    });
  }

  template <class Block>
  [[nodiscard]] static KOINON_FORCE_INLINE bool receive(Launch<Block> const& launch, Arguments const& a,
                                                        std::size_t packet, Range piece, int from) {
    Range const share = a.shares.of(from);
    PacketPart<Arguments> const part(a, share.size(), piece);
    if (part.bytes == 0) return true;
    std::uint8_t room[payload<Block>];
    std::uint8_t const* const values = receive_packet(launch, from, packet, room, part.bytes);
    if (values != nullptr) take_apart(a, share, piece, values);
    return values != nullptr;
  }

  /// Receives the packets of one place in every rank's sequence, of those that have something there.
  template <int Most, class Block>
  [[nodiscard]] static KOINON_FORCE_INLINE bool receive_from_all(Launch<Block> const& launch, Arguments const& a,
                                                                 std::size_t packet, Range piece) {
    KOINON_KEEP_ROLLED
    for (int first = 0; first < launch.size(); first += Most) {
      typename Block::PacketContent contents[Most];
      bool has[Most];
      KOINON_UNROLL
      for (int s = 0; s < Most; ++s) {
        has[s] = first + s < launch.size() && has_any(a, first + s, piece);
      }
      if (!receive_contents<Most>(
              launch, first, packet, [&](int s) { return has[s]; }, contents))
        return false;
      KOINON_UNROLL
      for (int s = 0; s < Most; ++s) {
        if (has[s]) store_content_of<Block>(a, first + s, piece, contents[s]);
      }
    }
    return true;
  }
  // Calls: a search a packet in flight would not fit the registers.
  [[nodiscard]] static KOINON_CALLED_FUNCTION bool has_any(Arguments const& a, int rank, Range piece) {
    return PacketPart<Arguments>(a, a.shares.of(rank).size(), piece).bytes > 0;
  }
  template <class Block>
  static KOINON_CALLED_FUNCTION void store_content_of(Arguments const& a, int from, Range piece,
                                                      typename Block::PacketContent content) {
    Range const share = a.shares.of(from);
    PacketPart<Arguments> const part(a, share.size(), piece);
    if (part.only != nullptr && part.only->out().is_dense()) {
      std::byte* const to = part.only->out().pointer + share.begin * part.only->row_bytes + part.at;
      return Block::store_content(reinterpret_cast<std::uint8_t*>(to), content, part.bytes);
    }
    std::uint8_t room[payload<Block>];
    take_content<std::uint8_t, Block>(room, content, part.bytes);
    take_apart(a, share, piece, room);
  }

  /// Says whether this thread's first packet has something of every peer.
  template <class Block>
  [[nodiscard]] static KOINON_FORCE_INLINE bool first_packet_is_from_all(Launch<Block> const& launch,
                                                                         Arguments const& a) {
    Block const& block = launch.block();
    std::size_t const begin = (static_cast<std::size_t>(block.index()) * static_cast<std::size_t>(block.threads()) +
                               static_cast<std::size_t>(block.thread())) *
                              static_cast<std::size_t>(payload<Block>);
    bool from_all = begin < a.length;
    for (int p = 0; p < launch.size() && from_all; ++p) {
      std::size_t const end = smaller(begin + static_cast<std::size_t>(payload<Block>), a.length);
      from_all = p == launch.rank() || has_any(a, p, {begin, end});
    }
    return from_all;
  }
};

/// Every rank stages its rows of all members and copies those of its peers out of their staging.
///
///   staged_0, staged_1, staged_2 ─► outs of rank 0      ... of rank 1      ... of rank 2
template <int Room>
struct OneShotAllGatherMultiple {
  using Arguments = AllGatherMultipleArguments<Room>;

  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch, Arguments const& a) const {
    Block const& block = launch.block();
    DeviceCommunicator const& comm = launch.comm();
    PullRounds<Block> rounds(launch);
    Range const slice = part_of({0, a.length}, block.index(), block.count(), Arguments::grain);
    auto const staged = [&](int rank, std::uint32_t round) {
      return comm.segment(rank) + comm.m_layout.part(launch.half(), static_cast<int>(round & 1u)) +
             static_cast<std::size_t>(block.index()) * a.round_bytes;
    };
    Range const mine = a.shares.of(launch.rank());
    auto const stage = [&](std::uint32_t round) {
      std::byte* const to = staged(launch.rank(), round);
      for_each_part(a, mine.size(), piece_of(slice, round, a.round_bytes),
                    [&](auto const& member, Range range, std::size_t before) {
                      if (member.in().is_dense()) {
                        rounds.note_streamed(
                            block.stage_bytes(comm, to + before, member.in().pointer + range.begin, range.size()));
                      } else {
                        load_part(block, member.in(), range, to + before);
                      }
                    });
    };
    auto const work = [&](std::uint32_t round, std::size_t length) {
      Range const piece = piece_of(slice, round, length);
      std::size_t read = 0;
      for (int turn = 1; turn <= launch.size(); ++turn) {
        // The own rows last: they are read from where they are staged if they are strided, else from their array.
        int const p = turn < launch.size() ? launch.peer(turn) : launch.rank();
        Range const share = a.shares.of(p);
        std::byte const* const from = staged(p, round);
        for_each_part(a, share.size(), piece, [&](auto const& member, Range range, std::size_t before) {
          std::size_t const first = share.begin * member.row_bytes;
          Range const to{first + range.begin, first + range.end};
          if (p != launch.rank()) {
            read += range.size();
            store_part(block, member.out(), to, from + before);
          } else if (!has_rows_in_place(member, share.begin)) {
            store_part(block, member.out(), to,
                       member.in().is_dense() ? member.in().pointer + range.begin : from + before);
          }
        });
      }
      block.read_staged(comm, read);
      return true;
    };
    PullShape const shape{
        .equal_offsets = false,
        .stores_to_all = false,
        .round_elements = a.round_bytes,
        // Block 0's slice is the longest: all blocks have as many rounds.
        .rounds = rounds_of(part_of({0, a.length}, 0, block.count(), Arguments::grain), a.round_bytes),
        .whole_elements = a.length};
    // Every array is staged, so nobody's is read after this launch.
    (void)rounds.pull(Placement{}, Placement{}, shape, stage, work);
  }
};

}  // namespace Koinon::Impl
