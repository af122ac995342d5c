// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CoreWithoutMpi.hpp>

#if defined(KOINON_ENABLE_KOKKOS)
#include <Kokkos_Core.hpp>
#endif

#include <cuda_runtime_api.h>

namespace Koinon::Perf {

#if defined(KOINON_ENABLE_KOKKOS) && defined(KOKKOS_ENABLE_CUDA)

/// What a rank on a GPU hands to Koinon.
using GpuInstance = Kokkos::Cuda;
inline constexpr char const* gpu_instance_name = "Kokkos::Cuda";

#else

/// What a rank on a GPU hands to Koinon.
using GpuInstance = CudaStream;
inline constexpr char const* gpu_instance_name = "Koinon::CudaStream";

#endif

using GpuCommunicator = Communicator<GpuInstance>;

}  // namespace Koinon::Perf
