// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_Call.hpp>
#include <collectives/Koinon_LaunchAllReduce.hpp>
#include <collectives/Koinon_RowCall.hpp>
#include <epilogues/Koinon_RmsNormTraits.hpp>
#include <Koinon_Operations.hpp>

#include <string>
#include <string_view>
#include <type_traits>

namespace Koinon {

namespace Impl {

template <class State, class T, class R>
struct AllReduceCall {
  static constexpr Operation operation = Operation::all_reduce;
  using Backend = typename State::Backend;

  AllReduceArguments<T, R> a;
  bool equal_extents;

  [[nodiscard]] Refusal check(State& state) const {
    if (!equal_extents) {
      return refuse_extent("out", "elements in its extents", a.out.count,
                           "the extents of `in` (" + std::to_string(a.in.count) + " elements)");
    }
    if (!is_usable(state, a.in)) [[unlikely]] return refuse_array(state, "in", a.in);
    if (!is_usable(state, a.out)) [[unlikely]] return refuse_array(state, "out", a.out);
    return check_overlap(a.in, a.out);
  }

  [[nodiscard]] SelectionKey key(State const&) const {
    return {.call = call_id<T>(operation, reducer_id<R>()), .elements = a.in.count, .rows = 0};
  }

  void describe(State& state, Facts& facts) const {
    describe_elements<Backend, T>(state.device(), facts, a.in.count, 1);
    if (facts.algorithms.allows(Algorithm::one_shot)) {
      SegmentLayout const& layout = state.device().m_layout;
      std::size_t const pieces = static_cast<std::size_t>(layout.max_blocks * staged_pieces(state));
      if (layout.part_bytes / pieces >= sizeof(T)) {
        facts.algorithms.allow(Algorithm::two_shot);
      } else {
        facts.algorithms.refuse(Algorithm::two_shot, "an element exceeds what a block stages for two of each rank's pieces");
      }
    }
    describe_sentinels<Backend, T, R>(state.device(), facts, sentinel_owners(state.size()));
    facts.work.elements = static_cast<std::int64_t>(a.in.count);
    describe_multimem<Backend, T, R>(facts);
  }

  [[nodiscard]] std::string text(Selection const& selection) const {
    return call_text(to_string(operation), element_name<T>(), reducer_name<R>(), a.in.count, selection);
  }

  template <Selector S>
  void launch(State& state, typename Backend::Instance const& instance, Selection const& selection) {
    a.source = placement_of(state, a.in);
    a.destination = placement_of(state, a.out);
    bool const pushed = Backend::Block::prefers_stores && selection.algorithm == Algorithm::two_shot &&
                        selection.transport == Transport::peer_load;
    a.round_elements = pushed ? round_elements_of<T, typename Backend::Block>(state, selection.blocks, staged_pieces(state), 2)
                              : round_elements_of<T, typename Backend::Block>(state, selection.blocks, 1);
    launch_all_reduce<Backend, T, R, S>(instance, state.device(), selection, a);
  }

  /// Returns into how many pieces a block's staging is divided at most: every rank's contribution and every rank's result.
  [[nodiscard]] static int staged_pieces(State const& state) { return Backend::Block::prefers_stores ? 2 * state.size() : 1; }
};

template <class Policy, class In, class Out, class R>
[[nodiscard]] auto call_all_reduce(Policy const&, In const& in, Out const& out, R const& reducer) {
  GivenArrays<Policy, In, Out> const given(in, out);
  using C = reduced_element_t<typename decltype(given)::Element, R>;
  using Reducer = canonical_reducer_t<R>;
  return AllReduceCall<state_of<Policy>, C, Reducer>{
      {operand_as<C const>(given.in), operand_as<C>(given.out), ReducerTraits<Reducer, C>(make_reducer(reducer))},
      equal_extents(given.in, given.out)};
}

}  // namespace Impl

/// Reduces over ranks, the same bits on every rank: out(i) = in_0(i) op in_1(i) op ... in rank order.
///
/// Collective on the policy's instance. `in` and `out` have equal extents, any rank and strides; `out` may be `in`.
/// Narrow element types accumulate in float and round once. Throws InvalidArgument or UnsupportedError before anything
/// is launched, TimeoutError or AbortedError as the communicator's (docs/operations/all_reduce).
template <class... Traits, ArrayLike In, ArrayLike Out, class R = Sum>
void all_reduce(std::string_view label, CollectivePolicy<Traits...> const& policy, In const& in, Out const& out,
                R const& reducer = {}) {
  Impl::perform(label, policy, Impl::call_all_reduce(policy, in, out, reducer));
}
template <class... Traits, ArrayLike In, ArrayLike Out, class R = Sum>
void all_reduce(CollectivePolicy<Traits...> const& policy, In const& in, Out const& out, R const& reducer = {}) {
  all_reduce(std::string_view(), policy, in, out, reducer);
}

/// Reduces over ranks and gives each row, in float and not rounded (by Multimem: to the element), to an epilogue, on every
/// rank; there is no `out`.
///
/// Collective on the policy's instance. `in` has rows of stride 1. Errors as above (docs/operations/epilogues).
template <class... Traits, ArrayLike In, class R, RowEpilogueType E>
void all_reduce(std::string_view label, CollectivePolicy<Traits...> const& policy, In const& in, R const& reducer,
                E const& epilogue) {
  Impl::perform(label, policy, Impl::call_rows<Operation::all_reduce>(policy, in, reducer, epilogue, nullptr));
}
template <class... Traits, ArrayLike In, RowEpilogueType E>
void all_reduce(std::string_view label, CollectivePolicy<Traits...> const& policy, In const& in, E const& epilogue) {
  all_reduce(label, policy, in, Sum{}, epilogue);
}
template <class... Traits, ArrayLike In, class R, RowEpilogueType E>
void all_reduce(CollectivePolicy<Traits...> const& policy, In const& in, R const& reducer, E const& epilogue) {
  all_reduce(std::string_view(), policy, in, reducer, epilogue);
}
template <class... Traits, ArrayLike In, RowEpilogueType E>
void all_reduce(CollectivePolicy<Traits...> const& policy, In const& in, E const& epilogue) {
  all_reduce(std::string_view(), policy, in, Sum{}, epilogue);
}

namespace Impl {
template <>
struct Ask<AllReduce> {
  template <class Policy, class In, ArrayLike Out, class R = Sum>
  static auto call(Policy const& policy, In const& in, Out const& out, R const& reducer = {}) {
    return call_all_reduce(policy, in, out, reducer);
  }
  template <class Policy, class In, class R, RowEpilogueType E>
  static auto call(Policy const& policy, In const& in, R const& reducer, E const& epilogue) {
    return call_rows<Operation::all_reduce>(policy, in, reducer, epilogue, nullptr);
  }
  template <class Policy, class In, RowEpilogueType E>
  static auto call(Policy const& policy, In const& in, E const& epilogue) {
    return call(policy, in, Sum{}, epilogue);
  }
};
}  // namespace Impl

}  // namespace Koinon
