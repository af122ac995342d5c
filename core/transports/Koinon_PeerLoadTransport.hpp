// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <arrays/Koinon_Pack.hpp>
#include <Koinon_Macros.hpp>
#include <protocol/Koinon_DeviceCommunicator.hpp>
#include <reducers/Koinon_ReducerTraits.hpp>

#include <cstddef>
#include <cstdint>

namespace Koinon::Impl {

/// Completes a reduction over all ranks and rounds it to the element type.
template <class Accumulator, int N, class R, class T>
[[nodiscard]] KOINON_FORCE_INLINE Pack<T, N> finish_pack(Pack<Accumulator, N> const& sum,
                                                         ReducerTraits<R, T> const& reducer, int ranks) {
  Pack<T, N> result;
  for (int n = 0; n < N; ++n) result.values[n] = reducer.finish(sum.values[n], ranks);
  return result;
}

/// Lets the block's threads set addresses, set(rank) by one of them, before all use them.
/// @pre a barrier of the block since those of the round before were used
template <class Block, class Set>
KOINON_FORCE_INLINE void set_addresses(Block const& block, int ranks, Set&& set) {
  for (int p = block.thread(); p < ranks; p += block.threads()) set(p);
  block.barrier();
}

/// Loads and stores peers' memory: the portable transport. Sums run in rank order 0 .. R - 1, in the wide type.
///
/// Addresses are of element 0, one a rank, in the block's scratch; index i means the same element on every rank.
template <class T, class Block>
class PeerLoadTransport {
 public:
  /// Says that sources (destinations) need not lie at one offset on all ranks.
  static constexpr bool needs_equal_offsets = false;

  KOINON_FORCE_INLINE PeerLoadTransport(DeviceCommunicator const& comm, std::uint64_t* sources,
                                        std::uint64_t* destinations)
      : m_comm(comm), m_sources(sources), m_destinations(destinations) {}

  KOINON_FORCE_INLINE void set_source(int rank, T const* element_0) {
    m_sources[rank] = reinterpret_cast<std::uint64_t>(element_0);
  }
  KOINON_FORCE_INLINE void set_destination(int rank, T* element_0) {
    m_destinations[rank] = reinterpret_cast<std::uint64_t>(element_0);
  }

  /// Enclose all verbs of a round. Addresses of peers need nothing.
  KOINON_FORCE_INLINE void begin() const {}
  KOINON_FORCE_INLINE void end() const {}

  /// Says that many bytes will be stored: past the caches, where the backend does so. Returns whether it is done.
  KOINON_FORCE_INLINE bool stream_stores(Block const& block, std::size_t bytes) {
    return m_stream = block.streams(m_comm, bytes);
  }

  /// Says that the elements from i on are read and then written where they are: their lines, some way ahead, are taken
  /// from the peers once, to be written too. A hint.
  KOINON_FORCE_INLINE void own_ahead([[maybe_unused]] std::size_t i) const {
    if constexpr (Block::own_ahead_bytes > 0) {
      if (m_stream) return;
      for (int p = 0; p < m_comm.size(); ++p) {
        if (m_sources[p] == m_destinations[p] && p != m_comm.rank()) own(destination(p) + i);
      }
    }
  }

  /// Says that elements [begin, end) of a peer's own array were read for the last time in this launch.
  KOINON_FORCE_INLINE void give_back(Block const& block, int rank, std::size_t begin, std::size_t end) const {
    if (rank != m_comm.rank()) block.give_back(m_comm, source(rank) + begin, (end - begin) * sizeof(T));
  }

  /// Returns the reduction over all ranks of N elements from i on, rounded to the element type.
  template <int N, class R>
  [[nodiscard]] KOINON_FORCE_INLINE Pack<T, N> reduce(PackSize<N> size, std::size_t i,
                                                      ReducerTraits<R, T> const& reducer) const {
    if constexpr (Block::ranks_in_flight > 1) {
      return finish_pack(load_reduce(size, i, reducer), reducer, m_comm.size());
    } else {
      return reduce_by_loops<N>(i, reducer);
    }
  }

  /// Returns the reduction over all ranks of N elements from i on, completed and not rounded.
  template <int N, class R>
  [[nodiscard]] KOINON_FORCE_INLINE auto load_reduce(PackSize<N>, std::size_t i,
                                                     ReducerTraits<R, T> const& reducer) const {
    using Accumulator = typename ReducerTraits<R, T>::accumulator;
    Pack<Accumulator, N> sum;
    int const ranks = m_comm.size();
    constexpr int in_flight = Block::ranks_in_flight;
    if constexpr (in_flight == 1) {  // loops over the elements of arrays, as in reduce_by_loops
      T const* const begin = source(0) + i;
      for (int n = 0; n < N; ++n) sum.values[n] = reducer.first(element_at(begin + n));
      for (int p = 1; p < ranks; ++p) {
        T const* const at = source(p) + i;
        for (int n = 0; n < N; ++n) reducer.join(sum.values[n], element_at(at + n));
      }
      return sum;
    }
    {
      Pack<T, N> const value = Block::template load_pack<T, N>(source(0) + i);
      for (int n = 0; n < N; ++n) sum.values[n] = reducer.first(value.values[n]);
    }
    for (int first = 1; first < ranks; first += in_flight) {
      Pack<T, N> values[in_flight];
      KOINON_UNROLL
      for (int f = 0; f < in_flight; ++f) {
        if (first + f < ranks) values[f] = Block::template load_pack<T, N>(source(first + f) + i);
      }
      KOINON_UNROLL
      for (int f = 0; f < in_flight; ++f) {
        if (first + f >= ranks) continue;
        for (int n = 0; n < N; ++n) reducer.join(sum.values[n], values[f].values[n]);
      }
    }
    return sum;
  }

  /// Stores N elements at i to every peer's destination; the caller stores its own result.
  template <int N>
  KOINON_FORCE_INLINE void store_all(std::size_t i, Pack<T, N> const& pack) const {
    int p = m_comm.rank();
    for (int turn = 1; turn < m_comm.size(); ++turn) {
      p = p + 1 < m_comm.size() ? p + 1 : 0;
      if constexpr (Block::can_stream) {
        if (m_stream) {
          Block::template stream_pack<T, N>(destination(p) + i, pack);
          continue;
        }
      }
      Block::template store_pack<T, N>(destination(p) + i, pack);
    }
  }

  template <int N>
  [[nodiscard]] KOINON_FORCE_INLINE Pack<T, N> load_from(int rank, std::size_t i) const {
    return Block::template load_pack<T, N>(source(rank) + i);
  }
  template <int N>
  KOINON_FORCE_INLINE void store_to(int rank, std::size_t i, Pack<T, N> const& pack) const {
    Block::template store_pack<T, N>(destination(rank) + i, pack);
  }

  static KOINON_FORCE_INLINE void own(T* p) {
    Block::own_soon(reinterpret_cast<std::byte*>(p) + Block::own_ahead_bytes, pack_elements<T, Block> * sizeof(T));
  }

  [[nodiscard]] KOINON_FORCE_INLINE T const* source(int rank) const { return reinterpret_cast<T const*>(m_sources[rank]); }
  [[nodiscard]] KOINON_FORCE_INLINE T* destination(int rank) const { return reinterpret_cast<T*>(m_destinations[rank]); }

 private:
  /// Loops over the elements of arrays, the last rank's join and the rounding in one: compilers make vectors of them.
  template <int N, class R>
  [[nodiscard]] KOINON_FORCE_INLINE Pack<T, N> reduce_by_loops(std::size_t i, ReducerTraits<R, T> const& reducer) const {
    Pack<T, N> result;
    typename ReducerTraits<R, T>::accumulator sum[N];
    int const last = m_comm.size() - 1;
    T const* const begin = source(0) + i;
    T const* const end = source(last) + i;
    if (last == 1) {
      for (int n = 0; n < N; ++n) {
        auto both = reducer.first(element_at(begin + n));
        reducer.join(both, element_at(end + n));
        result.values[n] = reducer.finish(both, 2);
      }
      return result;
    }
    for (int n = 0; n < N; ++n) sum[n] = reducer.first(element_at(begin + n));
    for (int p = 1; p < last; ++p) {
      T const* const at = source(p) + i;
      for (int n = 0; n < N; ++n) reducer.join(sum[n], element_at(at + n));
    }
    for (int n = 0; n < N; ++n) {
      if (last > 0) reducer.join(sum[n], element_at(end + n));
      result.values[n] = reducer.finish(sum[n], last + 1);
    }
    return result;
  }

  DeviceCommunicator const& m_comm;
  std::uint64_t* m_sources;
  std::uint64_t* m_destinations;
  bool m_stream = false;
};

}  // namespace Koinon::Impl
