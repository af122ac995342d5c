// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_AllReduceBodies.hpp>
#include <collectives/Koinon_Call.hpp>

#include <cstddef>

namespace Koinon::Impl {

/// Is what an all_reduce launches with.
template <class T, class R>
struct AllReduceArguments {
  Operand<T const> in;
  Operand<T> out;
  ReducerTraits<R, T> reducer;
  Placement source;
  Placement destination;
  std::size_t round_elements;
};

/// Launches the body that the selection names. Instantiated in the library for common elements and reducers.
template <class Backend, class T, class R, Selector S>
void launch_all_reduce(typename Backend::Instance const& instance, DeviceCommunicator const& comm,
                       Selection const& selection, AllReduceArguments<T, R> const& a) {
  using Block = typename Backend::Block;
  std::size_t const count = a.in.count;
  if constexpr (may_use(S, Algorithm::low_latency, Transport::peer_load) && packet_elements<T, Block> > 0) {
    if (selection.algorithm == Algorithm::low_latency) {
      Backend::launch(instance, comm, selection.blocks, LowLatencyAllReduce<T, R>{a.in, a.out, count, a.reducer});
      return;
    }
  }
  auto const pull = [&]<template <class, class> class Transport>() {
    if (selection.algorithm == Algorithm::one_shot) {
      // Peers still read what a result in place would overwrite: the source is staged then.
      bool const in_place = static_cast<void const*>(a.in.pointer) == a.out.pointer;
      Backend::launch(instance, comm, selection.blocks,
                      OneShotAllReduce<T, R, Transport>{a.in, a.out, count, a.reducer,
                                                        in_place ? Placement{} : a.source, a.round_elements});
    } else {
      Backend::launch(instance, comm, selection.blocks,
                      TwoShotAllReduce<T, R, Transport>{a.in, a.out, count, a.reducer, a.source, a.destination,
                                                        a.round_elements});
    }
  };
  if constexpr (S.transport != Transport::peer_load && Backend::template multimem_refusal<T, R> == nullptr) {
    if (selection.transport == Transport::multimem) return pull.template operator()<MultimemTransport>();
  }
  if constexpr (S.transport != Transport::multimem) pull.template operator()<PeerLoadTransport>();
}

}  // namespace Koinon::Impl
