// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaInstance.hpp>
#include <Koinon_Export.hpp>
#include <Koinon_Selection.hpp>
#include <Koinon_CudaBlock.hpp>
#include <protocol/Koinon_Run.hpp>

#include <cstdint>

namespace Koinon::Impl {

/// Threads of a block at most: the kernels' launch bound.
inline constexpr int cuda_most_threads = 512;

/// Enrolls a kernel of any shared object, so that making a communicator loads it: a load while a peer's kernel spins may
/// wait for the device. Returns its place in the list.
KOINON_EXPORT int enroll_cuda_kernel(void const* kernel);

/// Loads every kernel that was enrolled since this device last was asked. Throws ResourceError.
KOINON_EXPORT void load_cuda_kernels(int device);

/// Launches a kernel of one grid on an instance. Throws ResourceError with the runtime's reason.
KOINON_EXPORT void launch_cuda_kernel(void const* kernel, CudaInstance const& instance, Selection const& selection,
                                      void** arguments);

#if defined(__CUDACC__)
/// The kernel of every launch. A block works alone; its slices meet those of the same block on all ranks.
template <class Body, class Arguments>
__global__ void __launch_bounds__(cuda_most_threads)
    cuda_collective(DeviceCommunicator const __grid_constant__ comm, Arguments const __grid_constant__ arguments) {
  __shared__ std::uint64_t scratch[4 * CudaBlock::most_ranks];
  // Launched with the dependent attribute, this kernel starts while the one before still runs. Nothing is read before that
  // has ended; those that depend on this one are let go at its end.
#if __CUDA_ARCH__ >= 900
  KOINON_PTX("griddepcontrol.wait;" : : : "memory");
#endif
  run<Body>(CudaBlock(scratch), comm, arguments);
}

/// Is a kernel's entry in the list of those that a communicator loads.
template <class Body, class Arguments>
struct CudaEnrolled {
  static inline int const place = enroll_cuda_kernel(reinterpret_cast<void const*>(&cuda_collective<Body, Arguments>));
};
#endif

}  // namespace Koinon::Impl
