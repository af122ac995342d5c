// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_AllGatherMultipleBodies.hpp>
#include <collectives/Koinon_Call.hpp>

namespace Koinon::Impl {

/// Launches the body that the selection names. Every byte is moved alike, so element types make no kernels; lists of up
/// to eight members share one, instantiated in the library.
template <class Backend, int Room, Selector S>
void launch_all_gather_multiple(typename Backend::Instance const& instance, DeviceCommunicator const& comm,
                                Selection const& selection, AllGatherMultipleArguments<Room> const& a) {
  if constexpr (may_use(S, Algorithm::low_latency, Transport::peer_load)) {
    if (selection.algorithm == Algorithm::low_latency) {
      return Backend::template launch<LowLatencyAllGatherMultiple<Room>>(instance, comm, selection, a);
    }
  }
  if constexpr (S.transport != Transport::multimem) {
    Backend::template launch<OneShotAllGatherMultiple<Room>>(instance, comm, selection, a);
  }
}

}  // namespace Koinon::Impl
