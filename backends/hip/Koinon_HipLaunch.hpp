// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>
#include <Koinon_HipBlock.hpp>
#include <Koinon_HipInstance.hpp>
#include <Koinon_HipLanguage.hpp>
#include <Koinon_Selection.hpp>
#include <protocol/Koinon_Run.hpp>

#include <cstddef>
#include <cstdint>

#if defined(__HIPCC__)
#include <hip/hip_runtime.h>  // what the compiler makes of a kernel for the host calls it
#endif

namespace Koinon::Impl {

/// Threads of a block at most: the kernels' launch bound.
inline constexpr int hip_most_threads = 512;

/// Enrolls a kernel of any shared object, so that making a communicator loads it: a load while a peer's kernel spins
/// may wait for the device. Returns its place in the list.
KOINON_EXPORT int enroll_hip_kernel(void const* kernel);

/// Loads every kernel that was enrolled since this device last was asked. Throws ResourceError.
KOINON_EXPORT void load_hip_kernels(int device);

/// Is what a launch asks of the kernel beside its arguments.
struct HipLaunchFlags {
  bool counts_end = false;  // blocks count themselves in LaunchWords::ended_blocks when they end
};

/// Launches a kernel of one grid on an instance. Throws ResourceError with the runtime's reason.
/// @param arguments those of the kernel, with room for the flags at the end
KOINON_EXPORT void launch_hip_kernel(void const* kernel, HipInstance const& instance, DeviceCommunicator const& comm,
                                     Selection const& selection, void** arguments, int flags_at);

#if defined(__HIPCC__)
/// Is how a kernel's arguments lie behind each other.
template <class Arguments>
struct HipKernelArguments {
  DeviceCommunicator comm;
  Arguments arguments;

  /// Returns them where the launch put them. Parameters of a kernel are copies, which indices and calls would force into
  /// a thread's memory.
  static __attribute__((device, always_inline)) HipKernelArguments const& in_place() {
#if KOINON_DEVICE_PASS
    return *(HipKernelArguments const*)__builtin_amdgcn_kernarg_segment_ptr();
#else
    __builtin_unreachable();
#endif
  }
};

/// The kernel of every launch. A block works alone; its slices meet those of the same block on all ranks.
template <class Body, class Arguments>
__attribute__((global, launch_bounds(hip_most_threads))) void hip_collective(
    [[maybe_unused]] DeviceCommunicator const comm, [[maybe_unused]] Arguments const arguments,
    [[maybe_unused]] HipLaunchFlags const flags) {
#if KOINON_DEVICE_PASS
  KOINON_HIP_SHARED std::uint64_t scratch[4 * HipBlock::most_ranks];
  auto const& given = KOINON_HIP_ARGUMENTS(Arguments, comm, arguments);
  HipThreads::begin();
  run<Body>(HipBlock(scratch, HipBlock::begin_alone(given.comm)), given.comm, given.arguments);
  HipBlock::end_alone(given.comm);
  // The last that this block does with memory of the communicator. Relaxed: who reads the count reads it again before
  // it takes anything away, microseconds after what other threads of the block stored before the barrier was under way.
  if (flags.counts_end) {
    HipBlock::barrier();
    if (HipBlock::thread() == 0) HipWords::add(&launch_words_of(given.comm)->ended_blocks, 1);
  }
#endif
}

/// Is a kernel's entry in the list of those that a communicator loads.
template <class Body, class Arguments>
struct HipEnrolled {
  static inline int const place = enroll_hip_kernel(KOINON_HIP_KERNEL(hip_collective<Body, Arguments>));
};
#endif

}  // namespace Koinon::Impl
