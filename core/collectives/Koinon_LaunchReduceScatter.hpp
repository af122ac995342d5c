// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_Call.hpp>
#include <collectives/Koinon_ReduceScatterBodies.hpp>

#include <cstddef>

namespace Koinon::Impl {

/// Is what a reduce_scatter launches with.
template <class T, class R>
struct ReduceScatterArguments {
  Operand<T const> in;
  Operand<T> out;
  Shares shares;
  ReducerTraits<R, T> reducer;
  Placement source;
  std::size_t round_elements;
};

/// Launches the body that the selection names. Instantiated in the library for common elements and reducers.
template <class Backend, class T, class R, Selector S>
void launch_reduce_scatter(typename Backend::Instance const& instance, DeviceCommunicator const& comm,
                           Selection const& selection, ReduceScatterArguments<T, R> const& a) {
  using Block = typename Backend::Block;
  if constexpr (may_use(S, Algorithm::low_latency, Transport::peer_load) && packet_elements<T, Block> > 0) {
    if (selection.algorithm == Algorithm::low_latency) {
      Backend::launch(instance, comm, selection.blocks, LowLatencyReduceScatter<T, R>{a.in, a.out, a.shares, a.reducer});
      return;
    }
  }
  auto const pull = [&]<template <class, class> class Transport>() {
    Backend::launch(instance, comm, selection.blocks,
                    OneShotReduceScatter<T, R, Transport>{a.in, a.out, a.shares, a.reducer, a.source, a.round_elements});
  };
  if constexpr (S.transport != Transport::peer_load && Backend::template multimem_refusal<T, R> == nullptr) {
    if (selection.transport == Transport::multimem) return pull.template operator()<MultimemTransport>();
  }
  if constexpr (S.transport != Transport::multimem) pull.template operator()<PeerLoadTransport>();
}

}  // namespace Koinon::Impl
