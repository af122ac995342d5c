// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_AllGatherBodies.hpp>
#include <collectives/Koinon_Call.hpp>

#include <cstddef>

namespace Koinon::Impl {

/// Is what an all_gather launches with.
template <class T>
struct AllGatherArguments {
  Operand<T const> in;
  Operand<T> out;
  Shares shares;
  Placement source;
  Placement destination;
  std::size_t round_elements;        // where each rank stages its own rows
  std::size_t share_round_elements;  // where all ranks' rows are staged
};

/// Launches the body that the selection names. Moves depend on an element's size only. Instantiated in the library.
template <class Backend, class T, Selector S>
void launch_all_gather(typename Backend::Instance const& instance, DeviceCommunicator const& comm,
                       Selection const& selection, AllGatherArguments<T> const& a) {
  using Block = typename Backend::Block;
  if constexpr (may_use(S, Algorithm::low_latency, Transport::peer_load) && packet_elements<T, Block> > 0) {
    if (selection.algorithm == Algorithm::low_latency) {
      Backend::launch(instance, comm, selection.blocks, LowLatencyAllGather<T>{a.in, a.out, a.shares});
      return;
    }
  }
  if constexpr (S.transport != Transport::peer_load) {
    if (selection.transport == Transport::multimem) {
      Backend::launch(instance, comm, selection.blocks,
                      StoreAllGather<T, MultimemTransport>{a.in, a.out, a.shares, a.destination, a.share_round_elements});
      return;
    }
  }
  if constexpr (S.transport != Transport::multimem) {
    Backend::launch(instance, comm, selection.blocks,
                    OneShotAllGather<T>{a.in, a.out, a.shares, a.source, a.round_elements});
  }
}

}  // namespace Koinon::Impl
