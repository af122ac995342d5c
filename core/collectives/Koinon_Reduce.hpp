// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_Call.hpp>
#include <collectives/Koinon_LaunchReduceScatter.hpp>
#include <Koinon_Operations.hpp>

#include <string>
#include <string_view>
#include <type_traits>

namespace Koinon {

namespace Impl {

/// A reduce is a reduce_scatter of which the root alone gets rows.
template <class State, class T, class R>
struct ReduceCall {
  static constexpr Operation operation = Operation::reduce;
  using Backend = typename State::Backend;

  ReduceScatterArguments<T, R> a;
  bool equal;
  int root;

  [[nodiscard]] Refusal check(State& state) const {
    if (Refusal refusal = check_root(root, state.size())) return refusal;
    if (!is_usable(state, a.in)) [[unlikely]] return refuse_array(state, "in", a.in);
    if (state.rank() != root) return {};
    if (!equal) {
      return refuse_extent("out", "elements in its extents", a.out.count,
                           "the extents of `in` (" + std::to_string(a.in.count) + " elements)");
    }
    if (!is_usable(state, a.out)) [[unlikely]] return refuse_array(state, "out", a.out);
    return check_overlap(a.in, a.out);
  }

  [[nodiscard]] SelectionKey key(State const&) const {
    return {.call = call_id<T>(operation, reducer_id<R>()), .elements = a.in.count, .rows = 0};
  }

  void describe(State& state, Facts& facts) const {
    describe_elements<Backend, T>(state.device(), facts, a.in.count, state.size());
    describe_sentinels<Backend, T, R>(state.device(), facts, 1);
    facts.work.elements = static_cast<std::int64_t>(a.in.count);
    describe_multimem<Backend, T, R>(facts);
  }

  [[nodiscard]] std::string text(Selection const& selection) const {
    return call_text(to_string(operation), element_name<T>(), reducer_name<R>(), a.in.count, selection) + ", root " +
           std::to_string(root);
  }

  template <Selector S>
  void launch(State& state, typename Backend::Instance const& instance, Selection const& selection) {
    a.shares.give_all_to(root, a.in.count, state.size());
    a.source = placement_of(state, a.in);
    a.round_elements = round_elements_of<T, typename Backend::Block>(state, selection.blocks, state.size());
    launch_reduce_scatter<Backend, T, R, S>(instance, state.device(), selection, a);
  }
};

template <class Policy, class In, class Out, class R>
[[nodiscard]] auto call_reduce(Policy const&, In const& in, Out const& out, int root, R const& reducer) {
  GivenArrays<Policy, In, Out> const given(in, out);
  using C = reduced_element_t<typename decltype(given)::Element, R>;
  using Reducer = canonical_reducer_t<R>;
  return ReduceCall<state_of<Policy>, C, Reducer>{
      {operand_as<C const>(given.in), operand_as<C>(given.out), ReducerTraits<Reducer, C>(make_reducer(reducer))},
      equal_extents(given.in, given.out),
      root};
}

}  // namespace Impl

/// Reduces over ranks to one: out of rank `root` = in_0 op in_1 op ... in rank order. `out` elsewhere may be empty.
///
/// Collective on the policy's instance; `in` has equal extents on all ranks, `out` on the root may be `in`. Errors as
/// all_reduce's.
template <class... Traits, ArrayLike In, ArrayLike Out, class R = Sum>
void reduce(std::string_view label, CollectivePolicy<Traits...> const& policy, In const& in, Out const& out, int root,
            R const& reducer = {}) {
  Impl::perform(label, policy, Impl::call_reduce(policy, in, out, root, reducer));
}
template <class... Traits, ArrayLike In, ArrayLike Out, class R = Sum>
void reduce(CollectivePolicy<Traits...> const& policy, In const& in, Out const& out, int root, R const& reducer = {}) {
  reduce(std::string_view(), policy, in, out, root, reducer);
}

namespace Impl {
template <>
struct Ask<Reduce> {
  template <class Policy, class In, class Out, class R = Sum>
  static auto call(Policy const& policy, In const& in, Out const& out, int root, R const& reducer = {}) {
    return call_reduce(policy, in, out, root, reducer);
  }
};
}  // namespace Impl

}  // namespace Koinon
