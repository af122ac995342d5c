// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_AllReduceMultipleBodies.hpp>
#include <collectives/Koinon_Call.hpp>

namespace Koinon::Impl {

/// Launches the body that the selection names.
template <class Backend, Selector S, class... Groups>
void launch_all_reduce_multiple(typename Backend::Instance const& instance, DeviceCommunicator const& comm,
                                Selection const& selection, AllReduceMultipleArguments<Groups...> const& a) {
  using Block = typename Backend::Block;
  if constexpr (may_use(S, Algorithm::low_latency, Transport::peer_load) &&
                ((packet_elements < typename Groups::Element, Block >> 0) && ...)) {
    if (selection.algorithm == Algorithm::low_latency) {
      return Backend::template launch<LowLatencyAllReduceMultiple<Groups...>>(instance, comm, selection, a);
    }
  }
  if constexpr (may_use(S, Algorithm::two_shot, Transport::peer_load)) {
    Backend::template launch<TwoShotAllReduceMultiple<Groups...>>(instance, comm, selection, a);
  }
}

}  // namespace Koinon::Impl
