// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaBackend.hpp>
#include <support/Koinon_SpaceMemory.hpp>

#include <cuda_runtime_api.h>

#include <memory>

namespace Koinon::Testing {

/// Is a stream of the tests, with memory, held as long as a copy of it lives: on the only device, or on that of the
/// calling thread's rank. Its multicast is emulated: an address is a set of peers, as on hosts.
class EmulatedCudaStream {
 public:
  EmulatedCudaStream();
  [[nodiscard]] CudaStream const& stream() const;

 private:
  struct Held;
  friend std::unique_ptr<SpaceMemory const> make_space_memory(EmulatedCudaStream const& space);

  std::shared_ptr<Held const> m_held;
};

std::unique_ptr<SpaceMemory const> make_space_memory(EmulatedCudaStream const& space);

}  // namespace Koinon::Testing

namespace Koinon {

template <>
inline constexpr bool is_execution_space_v<Koinon::Testing::EmulatedCudaStream> = true;

template <>
struct ExecutionSpaceTraits<Koinon::Testing::EmulatedCudaStream> {
  using backend = Impl::CudaBackend;
  static Impl::CudaInstance instance(Koinon::Testing::EmulatedCudaStream const& space) {
    return ExecutionSpaceTraits<CudaStream>::instance(space.stream());
  }
  static Impl::BackendFacts facts(Koinon::Testing::EmulatedCudaStream const& space) {
    Impl::BackendFacts facts = ExecutionSpaceTraits<CudaStream>::facts(space.stream());
    facts.facts.capabilities.insert(Capability::multimem);
    return facts;
  }
};

}  // namespace Koinon
