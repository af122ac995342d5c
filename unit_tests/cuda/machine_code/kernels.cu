// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaBackend.hpp>
#include <collectives/Koinon_AllGatherBodies.hpp>
#include <collectives/Koinon_AllReduceBodies.hpp>
#include <collectives/Koinon_ReduceScatterBodies.hpp>
#include <collectives/Koinon_RowBodies.hpp>
#include <collectives/Koinon_RowTwoShot.hpp>
#include <epilogues/Koinon_RmsNormRows.hpp>
#include <transports/Koinon_MultimemTransport.hpp>

#include <cstddef>
#include <cstdint>

// Kernels whose machine code check_machine_code.py reads: each form of multicast in a small one, and each body.
// Compiled, never run.
namespace Koinon::Testing {

namespace {

/// Reduces packs, and nothing else.
template <class T, class R, template <class, class> class Transport>
struct ReducedPacks {
  template <class Block>
  KOINON_FORCE_INLINE void operator()(Impl::Launch<Block>& launch, Impl::AllReduceArguments<T, R> const& a) const {
    Transport<T, Block> transport(launch.comm(), launch.block().scratch(launch.comm()), nullptr);
    transport.set_source(launch.rank(), a.in.pointer);
    transport.begin();
    Impl::for_each_pack<T>(launch.block(), 0, a.in.count, [&](auto size, std::size_t i) {
      auto const sum = transport.load_reduce(size, i, a.reducer);
      Block::template store_pack<T, size()>(a.out.pointer + i, Impl::finish_pack(sum, a.reducer, launch.size()));
    });
    transport.end();
  }
};

/// Is what a norm has at most: every output, quantized by groups.
using Norm = Impl::RmsNormRows<Impl::RowArray<bfloat16 const>, Impl::RowArray<bfloat16 const>, Impl::RowArray<bfloat16>,
                               Impl::RowArray<bfloat16>, Impl::RowArray<float8_e4m3>, Impl::NormGroupScales, None>;

/// Is an epilogue of which nobody knows what it stores.
struct StoredRows {
  Impl::RowArray<float> out;
  template <class Row>
  KOINON_FORCE_INLINE void operator()(Row& row) const {
    row.store(out);
  }
};

struct Call {
  Impl::CudaInstance const& instance;
  DeviceCommunicator const& comm;
  Selection const& selection;

  template <class Body, class Arguments>
  void launch(Arguments const& arguments) const {
    Impl::CudaBackend::launch<Body>(instance, comm, selection, arguments);
  }
  template <class T, class... Reducers>
  void launch_reductions_of() const {
    (launch<ReducedPacks<T, Reducers, Impl::MultimemTransport>>(Impl::AllReduceArguments<T, Reducers>()), ...);
  }
};

}  // namespace

void launch_kernels_of_machine_code(Impl::CudaInstance const& instance, DeviceCommunicator const& comm,
                                    Selection const& selection) {
  Call const call{instance, comm, selection};
  call.launch_reductions_of<float, Sum>();
  call.launch_reductions_of<double, Sum>();
  call.launch_reductions_of<float16, Sum, Min, Max>();
  call.launch_reductions_of<bfloat16, Average, Min, Max>();
  call.launch_reductions_of<std::int32_t, Sum, Min, Max, BXor>();
  call.launch_reductions_of<std::uint32_t, Min, Max, BAnd, BOr>();
  call.launch_reductions_of<std::int64_t, Sum, Min, Max, BXor>();
  call.launch_reductions_of<std::uint64_t, Min, Max, BAnd, BOr>();

  Impl::AllReduceArguments<bfloat16, Sum> const reduce;
  call.launch<Impl::OneShotAllReduce<bfloat16, Sum, Impl::MultimemTransport>>(reduce);
  call.launch<Impl::TwoShotAllReduce<bfloat16, Sum, Impl::MultimemTransport>>(reduce);
  call.launch<Impl::TwoShotAllReduce<bfloat16, Sum, Impl::PeerLoadTransport>>(reduce);
  call.launch<Impl::LowLatencyAllReduce<bfloat16, Sum>>(reduce);
  Impl::ReduceScatterArguments<float, Sum> const scatter;
  call.launch<Impl::OneShotReduceScatter<float, Sum, Impl::MultimemTransport>>(scatter);
  call.launch<Impl::OneShotReduceScatter<float, Sum, Impl::PeerLoadTransport>>(scatter);
  Impl::RowArguments<bfloat16, Sum, Norm> const norm{};
  call.launch<Impl::OneShotRows<bfloat16, Sum, Norm, Impl::MultimemTransport>>(norm);
  call.launch<Impl::TwoShotRows<bfloat16, Sum, Norm, Impl::MultimemTransport>>(norm);
  Impl::RowArguments<float, Sum, StoredRows> const rows{};
  call.launch<Impl::TwoShotRows<float, Sum, StoredRows, Impl::MultimemTransport>>(rows);
  Impl::AllGatherArguments<std::uint8_t> const gather;
  call.launch<Impl::StoreAllGather<std::uint8_t, Impl::MultimemTransport>>(gather);
  call.launch<Impl::OneShotAllGather<std::uint8_t>>(gather);
}

}  // namespace Koinon::Testing
