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

/// Enrolls a kernel of any shared object, so that making a communicator loads it: a load while a peer's kernel spins
/// may wait for the device. Returns its place in the list.
KOINON_EXPORT int enroll_cuda_kernel(void const* kernel);

/// Loads every kernel that was enrolled since this device last was asked. Throws ResourceError.
KOINON_EXPORT void load_cuda_kernels(int device);

/// Is what a launch asks of the kernel beside its arguments.
struct CudaLaunchFlags {
  bool counts_end = false;     // blocks count themselves in LaunchWords::ended_blocks when they end
  bool early_trigger = false;  // dependents may start as soon as the launch before has ended
};

/// Launches a kernel of one grid on an instance. Throws ResourceError with the runtime's reason.
/// @param arguments those of the kernel, with room for the flags first
KOINON_EXPORT void launch_cuda_kernel(void const* kernel, CudaInstance const& instance, DeviceCommunicator const& comm,
                                      Selection const& selection, void** arguments);

#if defined(__CUDACC__)
/// The kernel of every launch. A block works alone; its slices meet those of the same block on all ranks.
template <class Body, class Arguments>
__global__ void __launch_bounds__(cuda_most_threads, 1)
    cuda_collective(CudaLaunchFlags const flags, DeviceCommunicator const __grid_constant__ comm,
                    Arguments const __grid_constant__ arguments) {
  __shared__ std::uint64_t scratch[4 * CudaBlock::most_ranks];
  // Launched with the dependent attribute, this kernel starts while the one before still runs. Nothing is read before
  // that has ended; those that depend on this one are let go at its end, or with EarlyTrigger now: they wait as this
  // one does, and find its results, but their blocks are resident beside it.
#if __CUDA_ARCH__ >= 900
  KOINON_PTX("griddepcontrol.wait;" : : : "memory");
  if (flags.early_trigger) KOINON_PTX("griddepcontrol.launch_dependents;" : : : "memory");
#endif
  run<Body>(CudaBlock(scratch, CudaBlock::begin_alone(comm)), comm, arguments);
  CudaBlock::end_alone(comm);
  // The last that this block does with memory of the communicator. Relaxed: who reads the count reads it again before
  // it takes anything away, microseconds after what other threads of the block stored before the barrier was under way.
  if (flags.counts_end) {
    CudaBlock::barrier();
    if (CudaBlock::thread() == 0) CudaWords::add(&launch_words_of(comm)->ended_blocks, 1);
  }
}

/// Is a kernel's entry in the list of those that a communicator loads.
template <class Body, class Arguments>
struct CudaEnrolled {
  static inline int const place = enroll_cuda_kernel(reinterpret_cast<void const*>(&cuda_collective<Body, Arguments>));
};
#endif

}  // namespace Koinon::Impl
