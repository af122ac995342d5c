// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <communicator/Koinon_CommunicatorBase.hpp>
#include <communicator/Koinon_SpaceHolder.hpp>
#include <Koinon_PolicyTraits.hpp>

#include <cstddef>

namespace Koinon {

template <class ExecutionSpace>
class Communicator;

namespace Impl {

/// Returns a * b; throws ResourceError when it exceeds 64 bits.
KOINON_EXPORT std::size_t checked_product(std::size_t a, std::size_t b);

/// Is the state of a communicator of one execution space: the base, the instance, and the backend's memory.
///
/// ExecutionSpaceTraits<ExecutionSpace> names the backend (Koinon_Concepts.hpp) and gives
///   instance(space)   what a launch runs on; called at every launch
///   facts(space)      what the backend says of itself; called once
template <class ExecutionSpace>
class CommunicatorState final : public CommunicatorBase {
 public:
  using Backend = typename ExecutionSpaceTraits<ExecutionSpace>::backend;
  using Instance = typename Backend::Instance;

  CommunicatorState(ExecutionSpace const& space, Bootstrap& bootstrap, CommunicatorOptions const& options)
      : CommunicatorBase(bootstrap, options, ExecutionSpaceTraits<ExecutionSpace>::facts(space)),
        m_space(space, health().gate()) {
    open_segment();
    m_memory.attach(*this);
  }
  ~CommunicatorState() override { close(); }

  [[nodiscard]] ExecutionSpace const& space() const { return m_space.get(); }
  [[nodiscard]] Communicator<ExecutionSpace> const& communicator() const { return *m_owner; }
  // Not inlined: g++ would warn in users' functions that a local communicator's address outlives it.
  [[gnu::noinline]] void set_owner(Communicator<ExecutionSpace> const* owner) { m_owner = owner; }

 private:
  void map_segment(SegmentLayout const& layout, std::byte*& base, std::ptrdiff_t& stride) override {
    ControlBootstrap everyone(control());
    m_memory.map(everyone, identities(), layout.bytes, options().timeout, base, stride);
  }
  void fill_zero(std::byte* p, std::size_t bytes) override { m_memory.fill_zero(p, bytes); }

  SpaceHolder<ExecutionSpace> m_space;
  typename Backend::Memory m_memory;
  Communicator<ExecutionSpace> const* m_owner = nullptr;
};

}  // namespace Impl
}  // namespace Koinon
