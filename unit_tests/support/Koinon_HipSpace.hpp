// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_HipBackend.hpp>
#include <support/Koinon_SpaceMemory.hpp>

#include <memory>

namespace Koinon::Testing {

/// Is a HIP stream of the tests, with memory, held as long as a copy of it lives: on the device of the calling thread's
/// rank.
class HeldHipStream {
 public:
  HeldHipStream();
  [[nodiscard]] HipStream const& stream() const;

 private:
  struct Held;
  friend std::unique_ptr<SpaceMemory const> make_space_memory(HeldHipStream const& space);

  std::shared_ptr<Held const> m_held;
};

std::unique_ptr<SpaceMemory const> make_space_memory(HeldHipStream const& space);

}  // namespace Koinon::Testing

namespace Koinon {

template <>
inline constexpr bool is_execution_space_v<Koinon::Testing::HeldHipStream> = true;

template <>
struct ExecutionSpaceTraits<Koinon::Testing::HeldHipStream> {
  using backend = Impl::HipBackend;
  static Impl::HipInstance instance(Koinon::Testing::HeldHipStream const& space) {
    return ExecutionSpaceTraits<HipStream>::instance(space.stream());
  }
  static Impl::BackendFacts facts(Koinon::Testing::HeldHipStream const& space) {
    return ExecutionSpaceTraits<HipStream>::facts(space.stream());
  }
};

}  // namespace Koinon
