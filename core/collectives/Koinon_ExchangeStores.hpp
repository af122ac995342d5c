// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <arrays/Koinon_Piece.hpp>
#include <collectives/Koinon_ExchangeBodies.hpp>
#include <Koinon_Macros.hpp>
#include <protocol/Koinon_PullRounds.hpp>

#include <cstddef>
#include <cstdint>

namespace Koinon::Impl {

/// Every rank stores its one piece to all: straight into symmetric outputs, else into the peers' staging.
///
///   in_0 ─► columns 0 of out_0, out_1, out_2      in_1 ─► columns 1 of out_0, out_1, out_2      ...
///
/// @pre a.sent.cut is Cut::none
template <class T, template <class, class> class Transport>
struct StoreExchange {
  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch, ExchangeArguments<T> const& a) const {
    Block const& block = launch.block();
    DeviceCommunicator const& comm = launch.comm();
    PullRounds<Block> rounds(launch);
    Transport<T, Block> transport(comm, rounds.source_addresses(), rounds.destination_addresses());
    auto const slice_of = [&](int rank) {
      return part_of({0, a.received.of(rank).count}, block.index(), block.count(), pack_elements<T, Block>);
    };
    auto const staged = [&](int at, std::uint32_t round, int from) {
      std::size_t const piece = static_cast<std::size_t>(block.index() * launch.size() + from);
      return reinterpret_cast<T*>(comm.segment(at) + comm.m_layout.part(launch.half(), static_cast<int>(round & 1u))) +
             piece * a.round_elements;
    };
    if (!launch.before_first_store()) return;
    if (!a.skips_entry) {
      // The entry acquires that each peer's output may be written; it carries no source.
      if (!rounds.publish({}, a.destination) || !rounds.meet()) return;
      rounds.choose_destinations(Transport<T, Block>::needs_equal_offsets);
    } else if (!meets_whole(block)) {
      return;
    }
    bool const direct = a.skips_entry || rounds.is_direct();
    std::uint32_t last = 1;
    for (int p = 0; p < launch.size() && !direct; ++p) {
      std::uint32_t const needed = rounds_of(slice_of(p), a.round_elements);
      last = needed > last ? needed : last;
    }
    Piece const mine = a.received.of(launch.rank());
    Range const slice = slice_of(launch.rank());
    for (std::uint32_t round = 0; round < last; ++round) {
      Range const range = direct ? slice : piece_of(slice, round, a.round_elements);
      set_addresses(block, launch.size(), [&](int p) {
        transport.set_destination(p, direct ? exchange_destination(launch, a, rounds, p) + mine.begin
                                            : staged(p, round, launch.rank()) - range.begin);
      });
      rounds.note_streamed(transport.stream_stores(block, range.size() * sizeof(T)));
      transport.begin();
      for_each_run(mine.columns, range, [&](std::size_t run, std::size_t column, std::size_t e, std::size_t length) {
        std::size_t const to = direct ? run * mine.pitch + column : e;
        for_each_pack<T>(block, 0, length, [&](auto size, std::size_t i) {
          transport.store_all(to + i, a.in.template load<size()>(block, e + i));
        });
      });
      transport.end();
      // done(j) follows the copy of round j - 1, so the part of round j + 1 is free when all are seen.
      rounds.signal_done(round);
      if (round == 0) {
        copy_piece(block, nullptr, memory_of(a.out, mine), memory_of(a.in, a.sent.of(launch.rank())), mine.columns, slice);
      }
      if (!rounds.wait_done(round)) return;
      launch.learn_all();
      for (int turn = 1; turn < launch.size() && !direct; ++turn) {
        int const p = launch.peer(turn);
        Piece const piece = a.received.of(p);
        Range const arrived = piece_of(slice_of(p), round, a.round_elements);
        copy_piece(block, nullptr, memory_of(a.out, piece),
                   memory_of<T const>(staged(launch.rank(), round, p) - arrived.begin, piece.alone()), piece.columns, arrived);
      }
    }
  }
};

}  // namespace Koinon::Impl
