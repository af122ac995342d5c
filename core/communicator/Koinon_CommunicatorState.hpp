// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <communicator/Koinon_CommunicatorBase.hpp>
#include <communicator/Koinon_SpaceHolder.hpp>
#include <Koinon_PolicyTraits.hpp>
#include <protocol/Koinon_Sentinels.hpp>

#include <cstddef>
#include <type_traits>

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
/// Memory is made from the instance if it can be. On the host it offers map(bootstrap, identities, bytes, ...); a backend
/// whose kernels have memory of their own offers map(bootstrap, communicator, layout, ...) instead, and launch_memory()
/// and last_launch() besides; await_launches(), if launches are still under way when their calls return.
template <class ExecutionSpace>
class CommunicatorState final : public CommunicatorBase {
 public:
  using Backend = typename ExecutionSpaceTraits<ExecutionSpace>::backend;
  using Instance = typename Backend::Instance;

  CommunicatorState(ExecutionSpace const& space, Bootstrap& bootstrap, CommunicatorOptions const& options)
      : CommunicatorBase(bootstrap, options, ExecutionSpaceTraits<ExecutionSpace>::facts(space)),
        m_space(space, health().gate()),
        m_memory(make_memory(space)) {
    open_segment(SentinelVocabulary<typename Backend::Block>);
    m_memory.attach(*this);
  }
  ~CommunicatorState() override { close(); }

  [[nodiscard]] ExecutionSpace const& space() const { return m_space.get(); }
  [[nodiscard]] typename Backend::Memory& memory() { return m_memory; }
  [[nodiscard]] Communicator<ExecutionSpace> const& communicator() const { return *m_owner; }
  // Not inlined: g++ would warn in users' functions that a local communicator's address outlives it.
  [[gnu::noinline]] void set_owner(Communicator<ExecutionSpace> const* owner) { m_owner = owner; }

 private:
  using Memory = typename Backend::Memory;
  static Memory make_memory(ExecutionSpace const& space) {
    if constexpr (std::is_constructible_v<Memory, Instance const&>) {
      return Memory(ExecutionSpaceTraits<ExecutionSpace>::instance(space));
    } else {
      return Memory();
    }
  }
  void map_segment(SegmentLayout const& layout, std::byte*& base, std::ptrdiff_t& stride) override {
    ControlBootstrap everyone(control());
    CommunicatorBase& self = *this;
    if constexpr (requires { m_memory.map(everyone, self, layout, base, stride); }) {
      m_memory.map(everyone, self, layout, base, stride);
    } else {
      m_memory.map(everyone, identities(), layout.bytes, options().timeout, base, stride);
    }
  }
  LaunchMemory make_launch_memory(LaunchNumber first) override {
    if constexpr (requires { m_memory.launch_memory(); }) {
      return m_memory.launch_memory();  // it has seen the options when it mapped
    } else {
      return CommunicatorBase::make_launch_memory(first);
    }
  }
  LaunchNumber last_launch() noexcept override {
    if constexpr (requires { m_memory.last_launch(); }) {
      return m_memory.last_launch();
    } else {
      return CommunicatorBase::last_launch();
    }
  }
  bool await_launches() noexcept override {
    if constexpr (requires { m_memory.await_launches(); }) {
      return m_memory.await_launches();
    } else {
      return CommunicatorBase::await_launches();
    }
  }
  void fill_zero(std::byte* p, std::size_t bytes) override { m_memory.fill_zero(p, bytes); }

  SpaceHolder<ExecutionSpace> m_space;
  Memory m_memory;
  Communicator<ExecutionSpace> const* m_owner = nullptr;
};

}  // namespace Impl
}  // namespace Koinon
