// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Concepts.hpp>
#include <Koinon_HipInstance.hpp>
#include <Koinon_HipLaunch.hpp>
#include <Koinon_HipMemory.hpp>
#include <Koinon_HipStream.hpp>
#include <Koinon_PolicyTraits.hpp>
#include <epilogues/Koinon_Row.hpp>

#include <cstddef>

namespace Koinon {

namespace Impl {

/// Is the backend of AMD GPUs that map each other's memory.
struct KOINON_EXPORT HipBackend {
  using Instance = HipInstance;
  using Memory = HipMemory;
  using Block = HipBlock;
  /// Kernels take 4 KiB of parameters, as those of CUDA do for which that was written down; what the runtime adds lies
  /// behind them. Left is what the communicator and the flags of a launch do not take. A launch of more does not compile.
  static constexpr std::size_t most_argument_bytes = 4096 - sizeof(DeviceCommunicator) - 32;
  using Row = Koinon::Row<Block>;

  /// Says why `Multimem` cannot move elements, nor reduce T with R.
  static constexpr char const* no_multimem = "AMD GPUs have no multicast memory: peers are loaded and stored";
  template <class T, class R>
  static constexpr char const* multimem_refusal = no_multimem;

  static BackendFacts facts(Instance const& instance);

  /// Enqueues a body on the instance; returns at once.
  template <class Body, class Arguments>
  static void launch([[maybe_unused]] Instance const& instance, [[maybe_unused]] DeviceCommunicator const& comm,
                     [[maybe_unused]] Selection const& selection, [[maybe_unused]] Arguments const& arguments) {
#if defined(__HIPCC__)
    static_assert(sizeof(Arguments) <= most_argument_bytes,
                  "Koinon: kernels of AMD GPUs take 4096 bytes of arguments: what this call's arrays, reducer or epilogue "
                  "hold by value exceeds them");
    (void)HipEnrolled<Body, Arguments>::place;
    void* pointers[] = {const_cast<DeviceCommunicator*>(&comm), const_cast<Arguments*>(&arguments), nullptr};
    launch_hip_kernel(KOINON_HIP_KERNEL(hip_collective<Body, Arguments>), instance, comm, selection, pointers, 2);
#else
    static_assert(sizeof(Body) == 0,
                  "Koinon: this call needs a kernel that the library has not compiled (its element type, reducer or "
                  "traits): compile this file as HIP");
#endif
  }
};

static_assert(BackendType<HipBackend>);

}  // namespace Impl

template <>
inline constexpr bool is_execution_space_v<HipStream> = true;

template <>
struct ExecutionSpaceTraits<HipStream> {
  using backend = Impl::HipBackend;
  static Impl::HipInstance instance(HipStream const& space) {
    return Impl::instance_of(space.stream(), space.device());
  }
  static Impl::BackendFacts facts(HipStream const& space) { return Impl::HipBackend::facts(instance(space)); }
};

}  // namespace Koinon
