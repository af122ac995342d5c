// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <arrays/Koinon_Copy.hpp>
#include <collectives/Koinon_ReducePacket.hpp>
#include <Koinon_Macros.hpp>
#include <protocol/Koinon_Packets.hpp>
#include <protocol/Koinon_PullRounds.hpp>
#include <reducers/Koinon_ReducerTraits.hpp>
#include <transports/Koinon_PeerLoadTransport.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// The bodies of all_reduce_multiple: of each member, out(i) = reduction over ranks of in(i), the same bits on every rank.
///
/// Members of one element type form a group, for which the loops over elements exist once. All members of all groups lie
/// one behind the other in one sequence of bytes, which rounds cut, and their packets in one sequence of packets.
namespace Koinon::Impl {

/// Returns the least number that all of them divide.
template <class... Numbers>
[[nodiscard]] constexpr std::size_t common_multiple(std::size_t first, Numbers... more) {
  std::size_t multiple = first;
  while (((multiple % more != 0) || ...)) multiple += first;
  return multiple;
}

/// Is one pair of arrays; `out` is `in` or apart from it.
template <class T>
struct ReducedMember {
  std::size_t begin = 0;         // in the sequence, in bytes
  std::size_t first_packet = 0;
  std::size_t count = 0;         // elements
  Operand<T const> source;
  Operand<T> result;

  [[nodiscard]] KOINON_FORCE_INLINE Operand<T const> const& in() const { return source; }
  [[nodiscard]] KOINON_FORCE_INLINE Operand<T> const& out() const { return result; }
  void set(Operand<T const> const& i, Operand<T> const& o) {
    source = i;
    result = o;
    count = i.count;
  }
};
/// The same of dense arrays, in a long list.
template <class T>
struct DenseReducedMember {
  std::size_t begin = 0;
  std::size_t first_packet = 0;
  std::size_t count = 0;
  T const* source = nullptr;
  T* result = nullptr;

  [[nodiscard]] KOINON_FORCE_INLINE Operand<T const> in() const { return dense(source); }
  [[nodiscard]] KOINON_FORCE_INLINE Operand<T> out() const { return dense(result); }
  void set(Operand<T const> const& i, Operand<T> const& o) {
    source = i.pointer;
    result = o.pointer;
    count = i.count;
  }

 private:
  template <class U>
  [[nodiscard]] KOINON_FORCE_INLINE Operand<U> dense(U* p) const {
    Operand<U> operand;
    operand.pointer = p;
    operand.count = count;
    return operand;
  }
};

/// Is the members of one element type; dense ones only in a long list.
template <class T, class R, int Room, bool Dense = false>
struct ReducedGroup {
  using Element = T;
  using Member = std::conditional_t<Dense, DenseReducedMember<T>, ReducedMember<T>>;
  /// Members begin at multiples of that: at whole elements, and where they are copied by whole vectors.
  static constexpr std::size_t alignment = common_multiple(16, sizeof(T));

  ReducerTraits<R, T> reducer;
  int members = 0;
  Member list[Room];

  explicit ReducedGroup(R const& r) : reducer(r) {}
};

/// Is what an all_reduce_multiple launches with.
template <class... Groups>
struct AllReduceMultipleArguments : Groups... {
  /// Pieces of the sequence are cut at multiples of that: between elements, whatever is there.
  static constexpr std::size_t element_grain = common_multiple(16, Groups::alignment...);
  static constexpr std::size_t grain = (127 / element_grain + 1) * element_grain;

  std::size_t length = 0;       // bytes of the sequence
  std::size_t packets = 0;
  std::size_t round_bytes = 0;  // of one block

  template <class R>
  explicit AllReduceMultipleArguments(R const& r) : Groups(r)... {}

  template <class F>
  KOINON_FORCE_INLINE void for_each_group(F&& f) const {
    (f(static_cast<Groups const&>(*this)), ...);
  }
};

/// Calls f(group, member, its elements) for what lies in a piece of the sequence.
template <class Arguments, class F>
KOINON_FORCE_INLINE void for_each_elements(Arguments const& a, Range piece, F&& f) {
  a.for_each_group([&]<class Group>(Group const& group) {
    constexpr std::size_t size = sizeof(typename Group::Element);
    KOINON_KEEP_ROLLED
    for (int m = 0; m < group.members && group.list[m].begin < piece.end; ++m) {
      auto const& member = group.list[m];
      std::size_t const end = smaller(member.begin + member.count * size, piece.end);
      std::size_t const begin = member.begin > piece.begin ? member.begin : piece.begin;
      if (begin < end) f(group, member, Range{(begin - member.begin) / size, (end - member.begin) / size});
    }
  });
}

/// Calls f(group, member, packet, first element, number of elements) for this thread's packets.
template <class Block, class Arguments, class F>
KOINON_FORCE_INLINE void for_each_member_packet(Block const& block, Arguments const& a, F&& f) {
  std::size_t const stride = static_cast<std::size_t>(block.threads()) * static_cast<std::size_t>(block.count());
  std::size_t packet = static_cast<std::size_t>(block.index()) * static_cast<std::size_t>(block.threads()) +
                       static_cast<std::size_t>(block.thread());
  a.for_each_group([&]<class Group>(Group const& group) {
    constexpr std::size_t n = static_cast<std::size_t>(packet_elements<typename Group::Element, Block>);
    KOINON_KEEP_ROLLED
    for (int m = 0; m < group.members; ++m) {
      auto const& member = group.list[m];
      for (;; packet += stride) {
        std::size_t const i = (packet - member.first_packet) * n;
        if (i >= member.count) break;
        f(group, member, packet, i, static_cast<int>(smaller(n, member.count - i)));
      }
    }
  });
}

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
    for_each_member_packet(launch.block(), a, [&]<class Group>(Group const&, auto const& member, std::size_t packet,
                                                               std::size_t i, int n) {
      send_elements(launch, member.in(), i, packet, n, [&](auto&& send) {
        KOINON_KEEP_ROLLED
        for (int p = first_receiver<Block>; p < launch.size(); ++p) send(launch.peer(p));
      });
    });
    prepare_next_members(launch, a);
    launch.confirm_alone();
    for_each_member_packet(launch.block(), a, [&]<class Group>(Group const& group, auto const& member,
                                                               std::size_t packet, std::size_t i, int n) {
      reduce_packet(launch, packet, member.in(), i, n, member.out(), i, group.reducer);
    });
    // Every rank sends every packet.
    std::size_t const first = static_cast<std::size_t>(launch.block().index()) * static_cast<std::size_t>(launch.block().threads());
    if (first < a.packets) launch.learn_all();
  }

 private:
  /// Takes the lines of the packets that an equal call needs next, while this one waits: prepare_next of several members.
  template <class Block>
  static KOINON_FORCE_INLINE void prepare_next_members(Launch<Block> const& launch, Arguments const& a) {
    if constexpr (Block::own_ahead_bytes > 0) {
      using Packet = typename Block::Packet;
      constexpr std::size_t head = sizeof(Packet) - Packet::payload_bytes;
      for (int t = 1; t < launch.size(); ++t) {
        std::byte* const next = launch.comm().packets(launch.peer(t), launch.rank(), 1 - launch.half());
        for_each_member_packet(launch.block(), a, [&]<class Group>(Group const&, auto const&, std::size_t packet,
                                                                   std::size_t, int n) {
          Block::own_soon(reinterpret_cast<Packet*>(next) + packet,
                          head + static_cast<std::size_t>(n) * sizeof(typename Group::Element));
        });
      }
    }
  }
};

/// Every rank reduces its own chunk of the sequence, from what all have staged, and stores the result to the same place in
/// the peers' staging, from where each copies it.
///
///   chunk 0 of a_0 b_0, a_1 b_1, a_2 b_2 ─► rank 0 ─► chunk 0 of the sums everywhere      and so on for each rank's chunk
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
          copy_in(block, member.in(), range, begin_of<Group>(part_at(launch.rank(), round), member, piece) + range.begin);
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
        for (int p = 0; p < launch.size(); ++p) {
          T* const at = begin_of<Group>(part_at(p, round), member, piece);
          transport.set_source(p, p == launch.rank() && member.in().dense ? member.in().pointer : at);
          transport.set_destination(p, at);
        }
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
        for_each_elements(a, chunk_of(piece, launch.peer(t)), [&]<class Group>(Group const&, auto const& member, Range range) {
          using T = typename Group::Element;
          T const* const from = begin_of<Group>(part_at(launch.rank(), round), member, piece) + range.begin;
          take_out(block, from, member.out(), range);
        });
      }
      return true;
    };
    PullShape const shape{.equal_offsets = false,
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
  [[nodiscard]] static KOINON_FORCE_INLINE typename Group::Element* begin_of(
      std::byte* staged, typename Group::Member const& member, Range piece) {
    return reinterpret_cast<typename Group::Element*>(staged + (static_cast<std::ptrdiff_t>(member.begin) -
                                                                static_cast<std::ptrdiff_t>(piece.begin)));
  }
};

}  // namespace Koinon::Impl
