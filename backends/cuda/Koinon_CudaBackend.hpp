// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaInstance.hpp>
#include <Koinon_CudaLaunch.hpp>
#include <Koinon_CudaMemory.hpp>
#include <Koinon_CudaStream.hpp>
#include <Koinon_Concepts.hpp>
#include <Koinon_PolicyTraits.hpp>
#include <epilogues/Koinon_Row.hpp>
#include <transports/Koinon_EmulatedMulticast.hpp>

#include <cstddef>

namespace Koinon {

namespace Impl {

/// Is the backend of NVIDIA GPUs that map each other's memory.
struct KOINON_EXPORT CudaBackend {
  using Instance = CudaInstance;
  using Memory = CudaMemory;
  using Block = CudaBlock;
  /// Kernels take 32764 bytes in all; what is left beside the communicator and the flags of a launch.
  static constexpr std::size_t most_argument_bytes = 32764 - sizeof(DeviceCommunicator) - 64;
  using Row = Koinon::Row<Block>;

  /// Says why `Multimem` cannot reduce T with R; null: it can.
  template <class T, class R>
  static constexpr char const* multimem_refusal = multicast_refusal<T, R>();

  static BackendFacts facts(Instance const& instance);

  /// Enqueues a body on the instance; returns at once.
  template <class Body, class Arguments>
  static void launch([[maybe_unused]] Instance const& instance, [[maybe_unused]] DeviceCommunicator const& comm,
                     [[maybe_unused]] Selection const& selection, [[maybe_unused]] Arguments const& arguments) {
#if defined(__CUDACC__)
    (void)CudaEnrolled<Body, Arguments>::place;
    void* pointers[] = {nullptr, const_cast<DeviceCommunicator*>(&comm), const_cast<Arguments*>(&arguments)};
    launch_cuda_kernel(reinterpret_cast<void const*>(&cuda_collective<Body, Arguments>), instance, comm, selection,
                       pointers);
#else
    static_assert(sizeof(Body) == 0,
                  "Koinon: this call needs a kernel that the library has not compiled (its element type, reducer or "
                  "traits): compile this file as CUDA");
#endif
  }
};

static_assert(BackendType<CudaBackend>);

}  // namespace Impl

template <>
inline constexpr bool is_execution_space_v<CudaStream> = true;

template <>
struct ExecutionSpaceTraits<CudaStream> {
  using backend = Impl::CudaBackend;
  static Impl::CudaInstance instance(CudaStream const& space) {
    return Impl::instance_of(space.stream(), space.device());
  }
  static Impl::BackendFacts facts(CudaStream const& space) { return Impl::CudaBackend::facts(instance(space)); }
};

}  // namespace Koinon
