// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_RowBodies.hpp>
#include <epilogues/Koinon_MulticastRow.hpp>
#include <epilogues/Koinon_Row.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// The body of an all_reduce whose rows are reduced by one rank each and stored to all, and what is stored.
///
/// What goes to the others is a record a row. A functor that knows what its results are says so: then the owner alone
/// computes them, and the others copy (RmsNorm: quantized rows and scales instead of sums). Of any other functor nobody
/// knows what it does with a row, so the record is the row in float, and every rank runs the functor with it.
namespace Koinon::Impl {

/// Holds for functors with records: record_bytes(columns), a multiple of 16; f(row, records), which stores each result to
/// its array and to the records too, from multiples of 16 bytes on; take(block, index, columns, record), which copies them
/// to the arrays.
template <class F>
concept HasRecords = requires(F const& f) {
  { f.record_bytes(std::size_t{1}) } -> std::same_as<std::size_t>;
};

template <class F>
[[nodiscard]] KOINON_FORCE_INLINE std::size_t record_bytes_of(F const& f, std::size_t columns) {
  if constexpr (HasRecords<F>) {
    return f.record_bytes(columns);
  } else {
    return (columns * sizeof(float) + 15) / 16 * 16;
  }
}

/// Is the record of one row at all peers, which one is stored to after the other.
template <class Block>
class PeerRecords {
 public:
  KOINON_FORCE_INLINE PeerRecords(Launch<Block> const& launch, std::byte* record) : m_launch(launch), m_own(record) {}

  /// Stores a row, or f of it, as elements of T from that many bytes into the record on. By all threads of the block.
  template <class T, class... F>
  KOINON_FORCE_INLINE void store(Row<Block>& row, std::size_t offset, F const&... f) const {
    for_each(offset, [&](std::byte* at) { row.store(RowArray<T>{reinterpret_cast<T*>(at), 0}, f...); });
  }
  /// Stores float i of those from that many bytes into the record on. By one thread.
  KOINON_FORCE_INLINE void put(std::size_t offset, std::size_t i, float value) const {
    for_each(offset, [&](std::byte* at) { reinterpret_cast<float*>(at)[i] = value; });
  }

 private:
  /// Calls f(where) with the address `offset` bytes into the record of each peer.
  template <class F>
  KOINON_FORCE_INLINE void for_each(std::size_t offset, F&& f) const {
    KOINON_KEEP_ROLLED
    for (int p = 1; p < m_launch.size(); ++p) f(m_launch.comm().peer_pointer(m_launch.peer(p), m_own + offset));
  }

  Launch<Block> const& m_launch;
  std::byte* m_own;
};

/// The same by multicast: one store for all, this rank's own record included, which nobody reads.
template <class Block>
class MulticastRecords {
 public:
  KOINON_FORCE_INLINE MulticastRecords(Launch<Block> const& launch, std::byte* record)
      : m_comm(launch.comm()), m_own(record) {}

  template <class T, class... F>
  KOINON_FORCE_INLINE void store(Row<Block>& row, std::size_t offset, F const&... f) const {
    row.store(MulticastRow<T>{m_comm, reinterpret_cast<T*>(m_own + offset)}, f...);
  }
  KOINON_FORCE_INLINE void put(std::size_t offset, std::size_t i, float value) const {
    store_words_to_all<Block>(m_comm, reinterpret_cast<float*>(m_own + offset) + i, Pack<float, 1>{{value}});
  }

 private:
  DeviceCommunicator const& m_comm;
  std::byte* m_own;
};

/// What needs one offset on all ranks stores by multicast.
template <class Transport, class Block>
using RecordsOf =
    std::conditional_t<Transport::needs_equal_offsets, MulticastRecords<Block>, PeerRecords<Block>>;

/// Every rank reduces its own rows and stores their records to all.
///
///   row of in_0, in_1, in_2 ─► owner: epilogue(row) ─► its record at ranks 0, 1, 2 ─► their arrays
///
/// A row's record lies in the peers' staging, behind what they staged. Safe where the epilogue writes `in`: the owner of a
/// row is the only one to read it, and the others write theirs when all owners are done with the round.
template <class T, class R, class F, template <class, class> class Transport>
struct TwoShotRows {
  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch, RowArguments<T, R, F> const& a) const {
    Block const& block = launch.block();
    DeviceCommunicator const& comm = launch.comm();
    PullRounds<Block> rounds(launch);
    Transport<T, Block> transport(comm, rounds.source_addresses(), rounds.destination_addresses());
    int const own = launch.rank();
    float* const room = reinterpret_cast<float*>(a.area(launch, own, 0));
    auto const staged = [&](int at, std::uint32_t round, int share) {
      return reinterpret_cast<T*>(a.area(launch, at, static_cast<int>(round & 1u)) + a.room_bytes) +
             static_cast<std::size_t>(share) * a.round_rows * a.columns;
    };
    auto const record_of = [&](std::uint32_t round, int share, std::size_t k) {
      return a.area(launch, own, static_cast<int>(round & 1u)) + a.records_at +
             (static_cast<std::size_t>(share) * a.round_rows + k) * a.record_bytes;
    };
    bool const stage_own = Transport<T, Block>::needs_equal_offsets || !a.in.dense;
    auto const stage = [&](std::uint32_t round) {
      for (int s = 0; s < launch.size(); ++s) {
        if (s == own && !stage_own) continue;
        Range const piece = a.elements_of(piece_of(a.rows_of(block, s), round, a.round_rows));
        if (piece.size() == 0) continue;
        rounds.note_streamed(Impl::stage(block, comm, a.in, piece, staged(own, round, s)));
      }
    };
    auto const work = [&](std::uint32_t round, std::size_t length) {
      Range const rows = piece_of(a.rows_of(block, own), round, length);
      Range const piece = a.elements_of(rows);
      set_sources(transport, rounds, launch, a.in, [&](int p) { return staged(p, round, own) - piece.begin; });
      transport.begin();
      for (std::size_t r = rows.begin; r < rows.end; ++r) {
        Row<Block> row(block, r, a.columns, room);
        reduce_row<T>(launch, transport, a, r, row);
        RecordsOf<Transport<T, Block>, Block> const records(launch, record_of(round, own, r - rows.begin));
        if constexpr (HasRecords<F>) {
          a.epilogue(row, records);
        } else {
          records.template store<float>(row, 0);
          a.epilogue(row);
        }
        block.barrier();  // reductions of the next row begin anew
      }
      transport.end();
      give_back_sources<T>(transport, rounds, launch, piece);
      // Done of all, also of those without rows: my source is no longer read, and my records are complete.
      rounds.signal_done(round);
      if (!rounds.wait_done(round)) return false;
      for (int p = 1; p < launch.size(); ++p) {
        int const owner = launch.peer(p);
        Range const theirs = piece_of(a.rows_of(block, owner), round, length);
        for (std::size_t r = theirs.begin; r < theirs.end; ++r) {
          take(block, a, r, record_of(round, owner, r - theirs.begin), room);
        }
      }
      return true;
    };
    PullShape const shape{.equal_offsets = Transport<T, Block>::needs_equal_offsets,
                          .stores_to_all = true,
                          .round_elements = a.round_rows,
                          .rounds = rounds_of_shares(a.shares, block, 1, a.round_rows),
                          .whole_elements = a.shares.longest};
    (void)rounds.pull(a.source, {}, shape, stage, work);
  }

 private:
  template <class Block>
  static KOINON_FORCE_INLINE void take(Block const& block, RowArguments<T, R, F> const& a, std::size_t index,
                                       std::byte const* record, float* room) {
    if constexpr (HasRecords<F>) {
      a.epilogue.take(block, index, a.columns, record);
    } else {
      auto const* const values = reinterpret_cast<float const*>(record);
      Row<Block> row(block, index, a.columns, room);
      fill_row<float>(row, [&](auto size, std::size_t column) {
        return Block::template load_pack<float, size()>(values + column);
      }, [&](std::size_t column) { return element_at(values + column); });
      a.epilogue(row);
      block.barrier();
    }
  }
};

}  // namespace Koinon::Impl
