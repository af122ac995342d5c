// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_PolicyTraits.hpp>

namespace Koinon {

template <class ExecutionSpace>
class Communicator;

template <class... Traits>
class CollectivePolicy;

namespace Impl {

template <class ExecutionSpace>
class CommunicatorState;

struct PolicyAccess {
  template <class... Traits>
  static CollectivePolicy<Traits...> with(CollectivePolicy<Traits...> policy, Request const& request) {
    policy.m_request = request;
    return policy;
  }
};

}  // namespace Impl

/// Says where a collective runs (an execution space instance and a communicator) and how (traits).
/// Traits stand in any order; one type may be an execution space, else it is the default one. All are required: a call
/// that cannot keep one throws UnsupportedError. A plain value; refers to the communicator, which may be moved
/// meanwhile.
template <class... Traits>
class CollectivePolicy {
  static_assert(Impl::CheckTraits<Traits...>::value);

 public:
  using execution_space = typename Impl::ExecutionSpaceOf<Traits...>::type;
  using row_type = typename Impl::RowOf<ExecutionSpaceTraits<execution_space>>::type;

  /// States what kernels are instantiated on, the same for every order of the traits.
  static constexpr Selector selector = selector_of(Impl::template_request<Traits...>().asked);
  using kernel_selector = KernelSelector<selector.algorithm, selector.transport, selector.block_threads>;

  /// @pre communicator outlives the policy's calls
  CollectivePolicy(execution_space const& space, Communicator<execution_space> const& communicator)
      : m_space(space), m_state(communicator.state()) {}

  /// Takes the communicator's own instance.
  explicit CollectivePolicy(Communicator<execution_space> const& communicator)
      : m_space(communicator.space()), m_state(communicator.state()) {}

  /// A temporary communicator would be gone at the first call.
  CollectivePolicy(execution_space const& space, Communicator<execution_space> const&& communicator) = delete;
  explicit CollectivePolicy(Communicator<execution_space> const&& communicator) = delete;

  execution_space const& space() const { return m_space; }
  decltype(auto) communicator() const { return m_state->communicator(); }
  Impl::CommunicatorState<execution_space>* state() const { return m_state; }
  Request const& request() const { return m_request; }

 private:
  friend struct Impl::PolicyAccess;

  execution_space m_space;
  Impl::CommunicatorState<execution_space>* m_state;
  Request m_request = Impl::template_request<Traits...>();
};

template <class Space>
CollectivePolicy(Space const&, Communicator<Space> const&) -> CollectivePolicy<Space>;
template <class Space>
CollectivePolicy(Communicator<Space> const&) -> CollectivePolicy<Space>;

// The default space deduces the shortest type, so that every compiler and every spelling launches the same kernel.
template <Impl::IsDefaultExecutionSpace Space>
CollectivePolicy(Space const&, Communicator<Space> const&) -> CollectivePolicy<>;
template <Impl::IsDefaultExecutionSpace Space>
CollectivePolicy(Communicator<Space> const&) -> CollectivePolicy<>;

/// Asks for a trait without a fallback: the call throws UnsupportedError, and can_run answers no, if it cannot be kept.
template <class... Traits, PolicyTrait Trait>
CollectivePolicy<Traits...> require(CollectivePolicy<Traits...> const& policy, Trait const& trait) {
  static_assert(Impl::agrees_with_all_v<Trait, Traits...>);
  return Impl::PolicyAccess::with(policy, required(policy.request(), trait));
}

/// Asks for all that the tuning states, without a fallback.
template <class... Traits>
CollectivePolicy<Traits...> require(CollectivePolicy<Traits...> const& policy, Tuning const& tuning) {
  return Impl::PolicyAccess::with(policy, required(policy.request(), tuning));
}

/// Asks for a trait where it is possible; changes speed only. What is required stays.
template <class... Traits, PolicyTrait Trait>
CollectivePolicy<Traits...> prefer(CollectivePolicy<Traits...> const& policy, Trait const& trait) {
  return Impl::PolicyAccess::with(policy, preferred(policy.request(), trait));
}

/// Asks for all that the tuning states where it is possible.
template <class... Traits>
CollectivePolicy<Traits...> prefer(CollectivePolicy<Traits...> const& policy, Tuning const& tuning) {
  return Impl::PolicyAccess::with(policy, preferred(policy.request(), tuning));
}

}  // namespace Koinon
