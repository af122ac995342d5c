// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_Call.hpp>
#include <collectives/Koinon_ReduceScatterBodies.hpp>

namespace Koinon::Impl {

/// Launches the body that the selection names. Instantiated in the library for common elements and reducers.
template <class Backend, class T, class R, Selector S>
void launch_reduce_scatter(typename Backend::Instance const& instance, DeviceCommunicator const& comm,
                           Selection const& selection, ReduceScatterArguments<T, R> const& a) {
  using Block = typename Backend::Block;
  if constexpr (may_use(S, Algorithm::low_latency, Transport::peer_load) && packet_elements < T, Block >> 0) {
    if (selection.algorithm == Algorithm::low_latency) {
      if constexpr (may_use_sentinels<T, R, Block>) {
        if (goes_by_sentinels<T, R, Block>(comm, a.shares.longest, 1))
          return Backend::template launch<SentinelReduceScatter<T, R>>(instance, comm, selection, a);
      }
      return Backend::template launch<LowLatencyReduceScatter<T, R>>(instance, comm, selection, a);
    }
  }
  auto const pull = [&]<template <class, class> class Transport>() {
    Backend::template launch<OneShotReduceScatter<T, R, Transport>>(instance, comm, selection, a);
  };
  if constexpr (S.transport != Transport::peer_load && Backend::template multimem_refusal<T, R> == nullptr) {
    if (selection.transport == Transport::multimem) return pull.template operator()<MultimemTransport>();
  }
  if constexpr (S.transport != Transport::multimem) pull.template operator()<PeerLoadTransport>();
}

}  // namespace Koinon::Impl
