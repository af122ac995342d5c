// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_Call.hpp>
#include <collectives/Koinon_LaunchAllGather.hpp>
#include <Koinon_Operations.hpp>

#include <string>
#include <string_view>
#include <type_traits>

namespace Koinon {

namespace Impl {

/// A broadcast is an all_gather to which the root alone gives rows.
template <class State, class T>
struct BroadcastCall {
  static constexpr Operation operation = Operation::broadcast;
  using Backend = typename State::Backend;

  AllGatherArguments<T> a;  // `out` is the array
  int root;

  [[nodiscard]] Refusal check(State& state) const {
    if (Refusal refusal = check_root(root, state.size())) return refusal;
    if (!is_usable(state, a.out)) [[unlikely]] return refuse_array(state, "array", a.out);
    return {};
  }

  [[nodiscard]] SelectionKey key(State const&) const {
    return {.call = call_id<T>(operation, 0), .elements = a.out.count, .rows = 0};
  }

  void describe(State& state, Facts& facts) const {
    describe_elements<Backend, T>(state.device(), facts, a.out.count, state.size());
    facts.work.elements = static_cast<std::int64_t>(a.out.count);
    describe_multimem_moves<Backend>(facts);
  }

  [[nodiscard]] std::string text(Selection const& selection) const {
    return call_text(to_string(operation), element_name<T>(), "", a.out.count, selection) + ", root " +
           std::to_string(root);
  }

  template <Selector S>
  void launch(State& state, typename Backend::Instance const& instance, Selection const& selection) {
    using Block = typename Backend::Block;
    std::size_t const count = a.out.count;
    bool const is_root = state.rank() == root;
    if (is_root) a.in = constant(a.out);
    a.shares.give_all_to(root, count, state.size());
    a.destination = placement_of(state, a.out);
    a.source = is_root && count > 0 ? a.destination : Placement::absent();
    a.round_elements = round_elements_of<T, Block>(state, selection.blocks, 1);
    a.share_round_elements = round_elements_of<T, Block>(state, selection.blocks, state.size());
    launch_all_gather<Backend, T, S>(instance, state.device(), selection, a);
  }
};

template <class Policy, class A>
[[nodiscard]] auto call_broadcast(Policy const&, A const& array, int root) {
  check_access<typename Policy::execution_space, A>();
  auto const a = as_array(array);
  using T = typename decltype(a)::value_type;
  check_elements<std::remove_const_t<T>, T>();
  using M = moved_element_t<T>;
  return BroadcastCall<state_of<Policy>, M>{{{}, operand_as<M>(a)}, root};
}

}  // namespace Impl

/// Copies the array of rank `root` to the array of every rank, bit for bit.
///
/// Collective on the policy's instance; equal extents on all ranks. Errors as all_reduce's.
template <class... Traits, ArrayLike A>
void broadcast(std::string_view label, CollectivePolicy<Traits...> const& policy, A const& array, int root) {
  Impl::perform(label, policy, Impl::call_broadcast(policy, array, root));
}
template <class... Traits, ArrayLike A>
void broadcast(CollectivePolicy<Traits...> const& policy, A const& array, int root) {
  broadcast(std::string_view(), policy, array, root);
}

namespace Impl {
template <>
struct Ask<Broadcast> {
  template <class Policy, class A>
  static auto call(Policy const& policy, A const& array, int root) {
    return call_broadcast(policy, array, root);
  }
};
}  // namespace Impl

}  // namespace Koinon
