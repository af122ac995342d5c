// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_AllGatherBodies.hpp>
#include <collectives/Koinon_Call.hpp>

namespace Koinon::Impl {

/// Launches the body that the selection names. Moves depend on an element's size only. Instantiated in the library.
template <class Backend, class T, Selector S>
void launch_all_gather(typename Backend::Instance const& instance, DeviceCommunicator const& comm,
                       Selection const& selection, AllGatherArguments<T> const& a) {
  using Block = typename Backend::Block;
  if constexpr (may_use(S, Algorithm::low_latency, Transport::peer_load) && packet_elements<T, Block> > 0) {
    if (selection.algorithm == Algorithm::low_latency) {
      return Backend::template launch<LowLatencyAllGather<T>>(instance, comm, selection, a);
    }
  }
  if constexpr (S.transport != Transport::peer_load && multimem_moves_refusal<Backend>() == nullptr) {
    if (selection.transport == Transport::multimem) {
      return Backend::template launch<StoreAllGather<T, MultimemTransport>>(instance, comm, selection, a);
    }
  }
  if constexpr (S.transport != Transport::multimem) {
    Backend::template launch<OneShotAllGather<T>>(instance, comm, selection, a);
  }
}

}  // namespace Koinon::Impl
