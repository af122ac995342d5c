// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_AllReduceBodies.hpp>
#include <collectives/Koinon_Call.hpp>

namespace Koinon::Impl {

/// Launches the body that the selection names. Instantiated in the library for common elements and reducers.
template <class Backend, class T, class R, Selector S>
void launch_all_reduce(typename Backend::Instance const& instance, DeviceCommunicator const& comm,
                       Selection const& selection, AllReduceArguments<T, R> const& a) {
  using Block = typename Backend::Block;
  if constexpr (may_use(S, Algorithm::low_latency, Transport::peer_load) && packet_elements < T, Block >> 0) {
    if (selection.algorithm == Algorithm::low_latency) {
      if constexpr (may_use_sentinels<T, R, Block>) {
        if (goes_by_sentinels<T, R, Block>(comm, a.in.count, sentinel_owners(comm.size()))) {
          if (comm.size() <= sentinels_to_all)
            return Backend::template launch<SentinelAllReduce<T, R, false>>(instance, comm, selection, a);
          return Backend::template launch<SentinelAllReduce<T, R, true>>(instance, comm, selection, a);
        }
      }
      return Backend::template launch<LowLatencyAllReduce<T, R>>(instance, comm, selection, a);
    }
  }
  auto const pull = [&]<template <class, class> class Transport>() {
    if (selection.algorithm == Algorithm::one_shot) {
      Backend::template launch<OneShotAllReduce<T, R, Transport>>(instance, comm, selection, a);
    } else {
      Backend::template launch<TwoShotAllReduce<T, R, Transport>>(instance, comm, selection, a);
    }
  };
  if constexpr (S.transport != Transport::peer_load && Backend::template multimem_refusal<T, R> == nullptr) {
    if (selection.transport == Transport::multimem) return pull.template operator()<MultimemTransport>();
  }
  if constexpr (S.transport != Transport::multimem) pull.template operator()<PeerLoadTransport>();
}

}  // namespace Koinon::Impl
