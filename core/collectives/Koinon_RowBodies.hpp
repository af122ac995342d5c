// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <arrays/Koinon_Copy.hpp>
#include <collectives/Koinon_PullReduce.hpp>
#include <collectives/Koinon_ReducePacket.hpp>
#include <collectives/Koinon_Shares.hpp>
#include <epilogues/Koinon_Row.hpp>
#include <Koinon_Macros.hpp>
#include <protocol/Koinon_Packets.hpp>
#include <protocol/Koinon_PullRounds.hpp>
#include <reducers/Koinon_ReducerTraits.hpp>

#include <cstddef>
#include <cstdint>

/// The bodies of reductions with a row epilogue: a row is reduced by one block, in float, and given to the epilogue.
namespace Koinon::Impl {

/// Is what a reduction with a row epilogue launches with. Shares count rows: one that every rank reduces (all_reduce), or
/// one a rank (reduce_scatter).
template <class T, class R, class F>
struct RowArguments {
  Operand<T const> in;
  std::size_t columns = 1;
  ReducerTraits<R, T> reducer;
  F epilogue;
  bool every_row = false;
  Shares shares = {};
  Placement source = {};        // symmetric only if dense
  std::size_t round_rows = 0;   // of one block and one share
  std::size_t room_bytes = 0;   // of a block: a row in float
  std::size_t block_bytes = 0;  // of a part: a block's room, then what it stages, then records of results
  std::size_t records_at = 0;
  std::size_t record_bytes = 0;  // of a row

  [[nodiscard]] KOINON_FORCE_INLINE int share_of(int rank) const { return every_row ? 0 : rank; }
  [[nodiscard]] KOINON_FORCE_INLINE int share_count(int ranks) const { return every_row ? 1 : ranks; }
  [[nodiscard]] KOINON_FORCE_INLINE Range elements_of(Range rows) const {
    return {rows.begin * columns, rows.end * columns};
  }
  /// Returns a block's part of a share.
  template <class Block>
  [[nodiscard]] KOINON_FORCE_INLINE Range rows_of(Block const& block, int share) const {
    return part_of(shares.of(share), block.index(), block.count(), 1);
  }
  /// Returns a block's memory in a part of the launch's half at a rank.
  template <class Block>
  [[nodiscard]] KOINON_FORCE_INLINE std::byte* area(Launch<Block> const& launch, int rank, int part) const {
    DeviceCommunicator const& comm = launch.comm();
    return comm.segment(rank) + comm.m_layout.part(launch.half(), part) +
           static_cast<std::size_t>(launch.block().index()) * block_bytes;
  }
};

/// Fills a row by load(pack size, column), which returns a Pack of completed floats, and, in a last group that is not whole,
/// by one(column).
template <class T, class Block, class Load, class One>
KOINON_FORCE_INLINE void fill_row(Row<Block>& row, Load&& load, One&& one) {
  row.for_each_run([&](auto whole, float* values, std::size_t column, int count) {
    constexpr int size = columns_at_once<decltype(whole)>;
    constexpr int most = static_cast<int>(pack_elements<T, Block>);
    constexpr int n = most < size ? most : size;
    if constexpr (decltype(whole)::value > 0) {
      KOINON_UNROLL
      for (int at = 0; at < size; at += n) {
        auto const pack = load(PackSize<n>{}, column + static_cast<std::size_t>(at));
        KOINON_UNROLL
        for (int e = 0; e < n; ++e) values[at + e] = pack.values[e];
      }
    } else {
      KOINON_UNROLL
      for (int e = 0; e < size; ++e) {
        if (e < count) values[e] = one(column + static_cast<std::size_t>(e));
      }
    }
  });
}

/// Returns one element's completed reduction. On a device by a call: eight copies of it would be most of a kernel.
template <class Transport, class Reducer>
[[nodiscard]] KOINON_CALLED_FUNCTION float reduce_one(Transport const transport, std::size_t i, Reducer const reducer, int ranks) {
  return reducer.complete(transport.load_reduce(PackSize<1>{}, i, reducer).values[0], ranks);
}

/// Fills a row with the completed reduction of all ranks' row r.
template <class T, class Block, class Transport, class Arguments>
KOINON_FORCE_INLINE void reduce_row(Launch<Block> const& launch, Transport const& transport, Arguments const& a, std::size_t r,
                                    Row<Block>& row) {
  std::size_t const begin = r * a.columns;
  int const ranks = launch.size();
  auto const load = [&](auto size, std::size_t column) {
    auto sum = transport.load_reduce(size, begin + column, a.reducer);
    KOINON_UNROLL
    for (int e = 0; e < size(); ++e) sum.values[e] = a.reducer.complete(sum.values[e], ranks);
    return sum;
  };
  fill_row<T>(row, load, [&](std::size_t column) { return reduce_one(transport, begin + column, a.reducer, ranks); });
}

/// Calls f(j, first column, number of columns) for this thread's packets of a row.
template <class T, class Block, class F>
KOINON_FORCE_INLINE void for_each_row_packet(Block const& block, std::size_t columns, F&& f) {
  constexpr std::size_t n = static_cast<std::size_t>(packet_elements<T, Block>);
  auto j = static_cast<std::size_t>(block.thread());
  for (; j * n < columns; j += static_cast<std::size_t>(block.threads())) {
    f(j, j * n, static_cast<int>(smaller(n, columns - j * n)));
  }
}

/// Every rank sends its rows as packets, a row from a packet's begin on, to those that reduce them.
///
///   rank 0   row ──► all      rank 1   row ──► all      everyone: epilogue(row_0 + row_1)
template <class T, class R, class F>
struct LowLatencyRows {
  /// Asks for what the first row needs besides the packets.
  template <class Block>
  static KOINON_FORCE_INLINE void prefetch(Block const& block, RowArguments<T, R, F> const& a) {
    if constexpr (Block::packets_in_flight > 1) {
      if (!a.every_row) return;
      std::size_t const row = a.rows_of(block, 0).begin;
      std::size_t const first = static_cast<std::size_t>(block.thread()) * static_cast<std::size_t>(packet_elements<T, Block>);
      if (row >= a.shares.rows) return;
      if (a.in.dense && first < a.columns) Block::prefetch(a.in.pointer + row * a.columns + first);
      if constexpr (requires { a.epilogue.prefetch(block, row, a.columns); }) a.epilogue.prefetch(block, row, a.columns);
    }
  }

  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch, RowArguments<T, R, F> const& a) const {
    Block const& block = launch.block();
    if (!launch.before_first_store()) return;
    std::size_t const row_packets = divided_up(a.columns, static_cast<std::size_t>(packet_elements<T, Block>));
    for (int s = 0; s < a.share_count(launch.size()); ++s) {
      std::size_t const first = a.shares.of(s).begin;
      Range const rows = a.rows_of(block, s);
      for (std::size_t r = rows.begin; r < rows.end; ++r) {
        for_each_row_packet<T>(block, a.columns, [&](std::size_t j, std::size_t column, int elements) {
          send_elements(launch, a.in, r * a.columns + column, (r - first) * row_packets + j, elements, [&](auto&& send) {
            KOINON_KEEP_ROLLED
            for (int p = 1; p <= receivers(launch); ++p) {
              int const to = launch.peer(p);
              if (a.share_of(to) == s) send(to);
            }
          });
        });
      }
    }
    launch.confirm_alone();
    int const own = a.share_of(launch.rank());
    std::size_t const first = a.shares.of(own).begin;
    Range const rows = a.rows_of(block, own);
    float* const room = room_of(launch, a);
    for (std::size_t r = rows.begin; r < rows.end; ++r) {
      bool good = true;
      for_each_row_packet<T>(block, a.columns, [&](std::size_t j, std::size_t column, int elements) {
        good = good && reduce_packet_wide(launch, (r - first) * row_packets + j, a.in, r * a.columns + column, elements,
                                          room + column, a.reducer);
      });
      if (!block.all(good)) return;
      Row<Block> row(block, r - (a.every_row ? 0 : first), a.columns, room);
      if constexpr (Block::row_registers > 0) {
        if (Row<Block>::fits_registers(block, a.columns)) {
          fill_row<T>(row, [&](auto size, std::size_t column) { return from_room<size()>(room + column); },
                      [&](std::size_t column) { return room[column]; });
        }
      }
      a.epilogue(row);
      block.barrier();  // the room is read
    }
    if (rows.size() > 0) launch.learn_all();
  }

 private:
  template <class Block>
  static KOINON_FORCE_INLINE float* room_of(Launch<Block> const& launch, RowArguments<T, R, F> const& a) {
    if constexpr (Block::row_registers > 0) {
      if (a.columns <= Block::row_room_columns) return Block::row_room();
    }
    return reinterpret_cast<float*>(a.area(launch, launch.rank(), 0));
  }
  template <int N>
  static KOINON_FORCE_INLINE Pack<float, N> from_room(float const* from) {
    Pack<float, N> pack;
    KOINON_UNROLL
    for (int e = 0; e < N; ++e) pack.values[e] = from[e];
    return pack;
  }
};

/// Every rank reduces the rows that it is given: it reads each peer's where they are, or from the peer's staging.
///
///   row of in_0, in_1, in_2 ─► rank 0: epilogue(row)      and so on: the same row on all ranks, or each its own
template <class T, class R, class F, template <class, class> class Transport>
struct OneShotRows {
  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch, RowArguments<T, R, F> const& a) const {
    Block const& block = launch.block();
    DeviceCommunicator const& comm = launch.comm();
    PullRounds<Block> rounds(launch);
    Transport<T, Block> transport(comm, rounds.source_addresses(), rounds.destination_addresses());
    int const own = a.share_of(launch.rank());
    std::size_t const first = a.every_row ? 0 : a.shares.of(own).begin;
    float* const room = reinterpret_cast<float*>(a.area(launch, launch.rank(), 0));
    auto const staged = [&](int at, std::uint32_t round, int share) {
      return reinterpret_cast<T*>(a.area(launch, at, static_cast<int>(round & 1u)) + a.room_bytes) +
             static_cast<std::size_t>(share) * a.round_rows * a.columns;
    };
    bool const stage_own = Transport<T, Block>::needs_equal_offsets || !a.in.dense || a.every_row;
    auto const stage = [&](std::uint32_t round) {
      for (int s = 0; s < a.share_count(launch.size()); ++s) {
        if (s == own && !stage_own) continue;
        Range const piece = a.elements_of(piece_of(a.rows_of(block, s), round, a.round_rows));
        if (piece.size() == 0) continue;
        rounds.note_streamed(Impl::stage(block, comm, a.in, piece, staged(launch.rank(), round, s)));
      }
    };
    auto const work = [&](std::uint32_t round, std::size_t length) {
      Range const rows = piece_of(a.rows_of(block, own), round, length);
      Range const piece = a.elements_of(rows);
      set_sources(transport, rounds, launch, a.in, [&](int p) { return staged(p, round, own) - piece.begin; });
      transport.begin();
      for (std::size_t r = rows.begin; r < rows.end; ++r) {
        Row<Block> row(block, r - first, a.columns, room);
        reduce_row<T>(launch, transport, a, r, row);
        a.epilogue(row);
        block.barrier();  // reductions of the next row begin anew
      }
      transport.end();
      give_back_sources<T>(transport, rounds, launch, piece);
      return true;
    };
    PullShape const shape{.equal_offsets = Transport<T, Block>::needs_equal_offsets,
                          .stores_to_all = false,
                          .round_elements = a.round_rows,
                          .rounds = rounds_of_shares(a.shares, block, 1, a.round_rows),
                          .whole_elements = a.shares.longest};
    if (!rounds.pull(a.source, {}, shape, stage, work)) return;
    if (!rounds.leave()) return;
  }
};

}  // namespace Koinon::Impl
