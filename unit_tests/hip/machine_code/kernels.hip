// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_HipBackend.hpp>
#include <collectives/Koinon_AllGatherBodies.hpp>
#include <collectives/Koinon_AllReduceBodies.hpp>
#include <collectives/Koinon_BarrierBody.hpp>
#include <collectives/Koinon_Instantiations.hpp>
#include <collectives/Koinon_ReduceScatterBodies.hpp>
#include <collectives/Koinon_RowBodies.hpp>
#include <collectives/Koinon_RowTwoShot.hpp>
#include <transports/Koinon_PeerLoadTransport.hpp>

#include <cstddef>
#include <cstdint>

// Kernels whose machine code check_machine_code.py reads: each body of each operation, over packets, sentinels, and peers.
// Compiled, never run.
namespace Koinon::Impl {

KOINON_INSTANTIATE_MOVES_OF(template, HipBackend, std::uint8_t)
KOINON_INSTANTIATE_MULTIPLE_MOVES(template, HipBackend)
KOINON_INSTANTIATE_MULTIPLE_SUMS_OF(template, HipBackend, bfloat16)

}  // namespace Koinon::Impl

namespace Koinon::Testing {

namespace {

struct Call {
  Impl::HipInstance const& instance;
  DeviceCommunicator const& comm;
  Selection const& selection;

  template <class Body, class Arguments>
  void launch(Arguments const& arguments) const {
    Impl::HipBackend::launch<Body>(instance, comm, selection, arguments);
  }
};

/// Scales a row by its sum: what every epilogue does, to visit it twice with a reduction between.
struct ScaledBySum {
  Array<float, 2> out;
  template <class R>
  KOINON_FORCE_INLINE void operator()(R& row) const {
    float const sum = row.reduce_sum([](std::size_t, float value) { return value; });
    row.store(out, [&](std::size_t, float value) { return value / sum; });
  }
};

}  // namespace

void launch_kernels_of_machine_code(Impl::HipInstance const& instance, DeviceCommunicator const& comm,
                                    Selection const& selection) {
  Call const call{instance, comm, selection};
  using Impl::PeerLoadTransport;
  Impl::AllReduceArguments<bfloat16, Sum> const reduce;
  call.launch<Impl::LowLatencyAllReduce<bfloat16, Sum>>(reduce);
  call.launch<Impl::SentinelAllReduce<bfloat16, Sum, false>>(reduce);
  call.launch<Impl::SentinelAllReduce<bfloat16, Sum, true>>(reduce);
  call.launch<Impl::OneShotAllReduce<bfloat16, Sum, PeerLoadTransport>>(reduce);
  call.launch<Impl::TwoShotAllReduce<bfloat16, Sum, PeerLoadTransport>>(reduce);
  Impl::ReduceScatterArguments<double, Sum> const scatter;
  call.launch<Impl::LowLatencyReduceScatter<double, Sum>>(scatter);
  call.launch<Impl::SentinelReduceScatter<double, Sum>>(scatter);
  call.launch<Impl::OneShotReduceScatter<double, Sum, PeerLoadTransport>>(scatter);
  Impl::RowArguments<float, Sum, ScaledBySum> const rows{};
  call.launch<Impl::LowLatencyRows<float, Sum, ScaledBySum>>(rows);
  call.launch<Impl::OneShotRows<float, Sum, ScaledBySum, PeerLoadTransport>>(rows);
  call.launch<Impl::TwoShotRows<float, Sum, ScaledBySum, PeerLoadTransport>>(rows);
  call.launch<Impl::BarrierBody>(Impl::BarrierArguments{});
}

}  // namespace Koinon::Testing
