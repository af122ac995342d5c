// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <transports/Koinon_PeerLoadTransport.hpp>

#include <cstddef>
#include <cstdint>

namespace Koinon::Impl {

/// Reduces and stores by multicast: one access reaches the same offset of every rank's segment.
///
/// The hardware returns the element type: its sum is rounded before `complete` (an average's division) and before an
/// epilogue sees it, and its order is not promised. load_from and store_to are the peers' own addresses.
template <class T, class Block>
class MultimemTransport : public PeerLoadTransport<T, Block> {
  using Base = PeerLoadTransport<T, Block>;

 public:
  static constexpr bool needs_equal_offsets = true;

  KOINON_FORCE_INLINE MultimemTransport(DeviceCommunicator const& comm, std::uint64_t* sources,
                                        std::uint64_t* destinations)
      : Base(comm, sources, destinations), m_comm(comm) {}

  /// Enclose all verbs of a round: the peers' own addresses and the multicast address are not ordered by themselves.
  /// All threads of the block call them; a barrier goes before the first, and one comes after the second.
  KOINON_FORCE_INLINE void begin() const { Block::before_multicast(m_comm); }
  KOINON_FORCE_INLINE void end() const { Block::after_multicast(m_comm); }

  /// @pre every rank's sources lie at one offset
  template <int N, class R>
  [[nodiscard]] KOINON_FORCE_INLINE auto load_reduce(PackSize<N>, std::size_t i,
                                                     ReducerTraits<R, T> const& reducer) const {
    using Accumulator = typename ReducerTraits<R, T>::accumulator;
    Pack<T, N> const reduced = Block::template multimem_load_reduce<T, R, N>(m_comm, this->source(m_comm.rank()) + i);
    Pack<Accumulator, N> sum;
    for (int n = 0; n < N; ++n) sum.values[n] = reducer.first(reduced.values[n]);
    return sum;
  }

  template <int N, class R>
  [[nodiscard]] KOINON_FORCE_INLINE Pack<T, N> reduce(PackSize<N> size, std::size_t i,
                                                      ReducerTraits<R, T> const& reducer) const {
    return finish_pack(load_reduce(size, i, reducer), reducer, m_comm.size());
  }

  /// No line is a rank's own: the switch reads and writes.
  KOINON_FORCE_INLINE void own_ahead(std::size_t) const {}

  /// @pre every rank's destinations lie at one offset
  template <int N>
  KOINON_FORCE_INLINE void store_all(std::size_t i, Pack<T, N> const& pack) const {
    Block::template multimem_store<T, N>(m_comm, this->destination(m_comm.rank()) + i, pack);
  }

 private:
  DeviceCommunicator const& m_comm;
};

}  // namespace Koinon::Impl
