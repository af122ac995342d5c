// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_BarrierBody.hpp>
#include <collectives/Koinon_Call.hpp>
#include <Koinon_Operations.hpp>

#include <string>
#include <string_view>

namespace Koinon {

namespace Impl {

template <class State>
struct BarrierCall {
  static constexpr Operation operation = Operation::barrier;
  using Backend = typename State::Backend;

  [[nodiscard]] Refusal check(State&) const { return {}; }
  [[nodiscard]] SelectionKey key(State const&) const {
    return {.call = static_cast<std::uint32_t>(operation), .elements = 0, .rows = 0};
  }
  void describe(State&, Facts& facts) const {
    facts.algorithms.allow(Algorithm::one_shot);
    facts.transports.allow(Transport::peer_load);
  }
  [[nodiscard]] std::string text(Selection const&) const { return std::string(to_string(operation)); }
  template <Selector>
  void launch(State& state, typename Backend::Instance const& instance, Selection const& selection) {
    Backend::template launch<BarrierBody>(instance, state.device(), selection, BarrierArguments{});
  }
};

}  // namespace Impl

/// Lets no rank's later work on its instance start before all ranks' earlier work on theirs has ended; what that work
/// wrote to symmetric memory is then visible. Collective on the policy's instance. Errors as all_reduce's.
template <class... Traits>
void barrier(std::string_view label, CollectivePolicy<Traits...> const& policy) {
  using State = std::remove_reference_t<decltype(*policy.state())>;
  Impl::perform(label, policy, Impl::BarrierCall<State>{});
}
template <class... Traits>
void barrier(CollectivePolicy<Traits...> const& policy) {
  barrier(std::string_view(), policy);
}

namespace Impl {
template <>
struct Ask<Barrier> {
  template <class Policy>
  static auto call(Policy const& policy) {
    using State = std::remove_reference_t<decltype(*policy.state())>;
    return BarrierCall<State>{};
  }
};
}  // namespace Impl

}  // namespace Koinon
