// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaBackend.hpp>
#include <collectives/Koinon_AllReduceBodies.hpp>
#include <transports/Koinon_MultimemTransport.hpp>

// Compiled for the oldest GPU, never run.
namespace Koinon::Testing {

void launch_kernels_of_oldest_gpu(Impl::CudaInstance const& instance, DeviceCommunicator const& comm,
                                  Selection const& selection) {
  Impl::AllReduceArguments<bfloat16, Sum> const arguments;
  Impl::CudaBackend::launch<Impl::LowLatencyAllReduce<bfloat16, Sum>>(instance, comm, selection, arguments);
  Impl::CudaBackend::launch<Impl::TwoShotAllReduce<bfloat16, Sum, Impl::MultimemTransport>>(instance, comm, selection,
                                                                                            arguments);
}

}  // namespace Koinon::Testing
