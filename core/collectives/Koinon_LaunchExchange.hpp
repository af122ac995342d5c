// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_Call.hpp>
#include <collectives/Koinon_ExchangeBodies.hpp>
#include <collectives/Koinon_ExchangePackets.hpp>
#include <collectives/Koinon_ExchangeStores.hpp>

namespace Koinon::Impl {

/// Launches the body that the selection names, for every exchange. Instantiated in the library.
template <class Backend, class T, Selector S>
void launch_exchange(typename Backend::Instance const& instance, DeviceCommunicator const& comm,
                     Selection const& selection, ExchangeArguments<T> const& a) {
  using Block = typename Backend::Block;
  if constexpr (may_use(S, Algorithm::low_latency, Transport::peer_load) && packet_elements<T, Block> > 0) {
    if (selection.algorithm == Algorithm::low_latency) {
      return Backend::template launch<LowLatencyExchange<T>>(instance, comm, selection, a);
    }
  }
  if constexpr (may_use(S, Algorithm::one_shot, Transport::multimem) && multimem_moves_refusal<Backend>() == nullptr) {
    if (selection.transport == Transport::multimem) {
      return Backend::template launch<StoreExchange<T, MultimemTransport>>(instance, comm, selection, a);
    }
  }
  if constexpr (may_use(S, Algorithm::one_shot, Transport::peer_load)) {
    Backend::template launch<OneShotExchange<T>>(instance, comm, selection, a);
  }
}

}  // namespace Koinon::Impl
