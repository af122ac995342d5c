// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <arrays/Koinon_Operand.hpp>
#include <protocol/Koinon_Partition.hpp>
#include <protocol/Koinon_PullRounds.hpp>
#include <reducers/Koinon_ReducerTraits.hpp>
#include <transports/Koinon_PeerLoadTransport.hpp>

#include <cstddef>

/// What reductions by pulling share, whatever they do with the result.
namespace Koinon::Impl {

/// Points a transport to element 0 of every rank's source: where it is, or `staged(rank)`, where its staging would have
/// it. The own contribution is read where it is: the staged copy may have left the caches.
template <class Transport, class T, class Block, class Staged>
KOINON_FORCE_INLINE void set_sources(Transport& transport, PullRounds<Block> const& rounds, Launch<Block> const& launch,
                                     Operand<T const> const& in, Staged&& staged) {
  bool const own_where_it_is = !Transport::needs_equal_offsets && in.dense;
  set_addresses(launch.block(), launch.size(), [&](int p) {
    if (own_where_it_is && p == launch.rank()) {
      transport.set_source(p, in.pointer);
    } else if (rounds.reads_in_place(p)) {
      transport.set_source(p, reinterpret_cast<T const*>(rounds.source(p)));
    } else {
      transport.set_source(p, staged(p));
    }
  });
}

/// Ends the reading of the peers' data in a range, and gives back what was read of their own arrays.
template <class T, class Transport, class Block>
KOINON_FORCE_INLINE void give_back_sources(Transport const& transport, PullRounds<Block> const& rounds,
                                           Launch<Block> const& launch, Range range) {
  bool staged = false;
  for (int p = 0; p < launch.size(); ++p) {
    if (rounds.reads_in_place(p)) {
      transport.give_back(launch.block(), p, range.begin, range.end);
    } else {
      staged = staged || p != launch.rank();
    }
  }
  if (staged) launch.block().read_staged(launch.comm(), range.size() * sizeof(T));
}

}  // namespace Koinon::Impl
