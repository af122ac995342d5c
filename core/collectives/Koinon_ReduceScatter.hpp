// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_Call.hpp>
#include <collectives/Koinon_LaunchReduceScatter.hpp>
#include <collectives/Koinon_RowCall.hpp>
#include <epilogues/Koinon_RmsNormTraits.hpp>
#include <collectives/Koinon_Rows.hpp>
#include <Koinon_Operations.hpp>

#include <string>
#include <string_view>
#include <type_traits>

namespace Koinon {

namespace Impl {

template <class State, class T, class R>
struct ReduceScatterCall {
  static constexpr Operation operation = Operation::reduce_scatter;
  using Backend = typename State::Backend;

  ReduceScatterArguments<T, R> a;
  Division division;

  [[nodiscard]] Refusal check(State& state) const { return division.check(state, a.in, "in", a.out, "out"); }

  [[nodiscard]] SelectionKey key(State const& state) const {
    return {.call = call_id<T>(operation, reducer_id<R>()), .elements = a.in.count,
            .rows = division.counts.key(state.size(), division.rows)};
  }

  void describe(State& state, Facts& facts) const {
    std::size_t const longest = division.longest(state.size());
    describe_elements<Backend, T>(state.device(), facts, longest, state.size());
    describe_sentinels<Backend, T, R>(state.device(), facts, 1);
    facts.work.elements = static_cast<std::int64_t>(longest);
    describe_multimem<Backend, T, R>(facts);
  }

  [[nodiscard]] std::string text(Selection const& selection) const {
    return call_text(to_string(operation), element_name<T>(), reducer_name<R>(), a.in.count, selection) +
           division.counts.text();
  }

  template <Selector S>
  void launch(State& state, typename Backend::Instance const& instance, Selection const& selection) {
    division.counts.divide(state, division.rows, division.row_elements, a.shares);
    a.source = placement_of(state, a.in);
    a.round_elements = round_elements_of<T, typename Backend::Block>(state, selection.blocks, state.size());
    launch_reduce_scatter<Backend, T, R, S>(instance, state.device(), selection, a);
  }
};

template <class Policy, class In, class Out, class R>
[[nodiscard]] auto call_reduce_scatter(Policy const&, In const& in, Out const& out, R const& reducer,
                                       Counts const* counts) {
  GivenArrays<Policy, In, Out> const given(in, out);
  using C = reduced_element_t<typename decltype(given)::Element, R>;
  using Reducer = canonical_reducer_t<R>;
  return ReduceScatterCall<state_of<Policy>, C, Reducer>{
      {operand_as<C const>(given.in), operand_as<C>(given.out), ReducerTraits<Reducer, C>(make_reducer(reducer))},
      Division(counts, given.in, given.out)};
}

}  // namespace Impl

/// Reduces over ranks and leaves each rank its rows: out of rank r = rows offset[r] .. of the reduction of `in` [T, ...].
///
/// Collective on the policy's instance. counts[r] rows go to rank r; even_partition(T, ranks) without counts. `out` has
/// counts[rank] rows and may be this rank's own rows of `in`. Errors as all_reduce's.
template <class... Traits, ArrayLike In, ArrayLike Out, class R>
void reduce_scatter(std::string_view label, CollectivePolicy<Traits...> const& policy, In const& in, Out const& out,
                    R const& reducer, Counts const& counts) {
  Impl::perform(label, policy, Impl::call_reduce_scatter(policy, in, out, reducer, &counts));
}
template <class... Traits, ArrayLike In, ArrayLike Out, class R = Sum>
  requires(!std::is_same_v<R, Counts>)
void reduce_scatter(std::string_view label, CollectivePolicy<Traits...> const& policy, In const& in, Out const& out,
                    R const& reducer = {}) {
  Impl::perform(label, policy, Impl::call_reduce_scatter(policy, in, out, reducer, nullptr));
}
template <class... Traits, ArrayLike In, ArrayLike Out>
void reduce_scatter(std::string_view label, CollectivePolicy<Traits...> const& policy, In const& in, Out const& out,
                    Counts const& counts) {
  reduce_scatter(label, policy, in, out, Sum{}, counts);
}
template <class... Traits, ArrayLike In, ArrayLike Out, class... Rest>
void reduce_scatter(CollectivePolicy<Traits...> const& policy, In const& in, Out const& out, Rest const&... rest) {
  reduce_scatter(std::string_view(), policy, in, out, rest...);
}

/// Reduces over ranks and gives each rank's rows, in float and not rounded (by Multimem: to the element), to its
/// epilogue; there is no `out`. Rows are numbered from 0 on every rank. Otherwise as above, and as all_reduce's.
template <class... Traits, ArrayLike In, class R, RowEpilogueType E>
void reduce_scatter(std::string_view label, CollectivePolicy<Traits...> const& policy, In const& in, R const& reducer,
                    Counts const& counts, E const& epilogue) {
  Impl::perform(label, policy, Impl::call_rows<Operation::reduce_scatter>(policy, in, reducer, epilogue, &counts));
}
template <class... Traits, ArrayLike In, class R, RowEpilogueType E>
  requires(!std::is_same_v<R, Counts>)
void reduce_scatter(std::string_view label, CollectivePolicy<Traits...> const& policy, In const& in, R const& reducer,
                    E const& epilogue) {
  Impl::perform(label, policy, Impl::call_rows<Operation::reduce_scatter>(policy, in, reducer, epilogue, nullptr));
}
template <class... Traits, ArrayLike In, RowEpilogueType E>
void reduce_scatter(std::string_view label, CollectivePolicy<Traits...> const& policy, In const& in, Counts const& counts,
                    E const& epilogue) {
  reduce_scatter(label, policy, in, Sum{}, counts, epilogue);
}
template <class... Traits, ArrayLike In, RowEpilogueType E>
void reduce_scatter(std::string_view label, CollectivePolicy<Traits...> const& policy, In const& in, E const& epilogue) {
  reduce_scatter(label, policy, in, Sum{}, epilogue);
}
template <class... Traits, ArrayLike In, class Next, class... Rest>
  requires(!ArrayLike<Next>)
void reduce_scatter(CollectivePolicy<Traits...> const& policy, In const& in, Next const& next, Rest const&... rest) {
  reduce_scatter(std::string_view(), policy, in, next, rest...);
}

namespace Impl {
template <>
struct Ask<ReduceScatter> {
  template <class Policy, class In, class R, RowEpilogueType E>
    requires(!std::is_same_v<R, Counts>)
  static auto call(Policy const& policy, In const& in, R const& reducer, E const& epilogue) {
    return call_rows<Operation::reduce_scatter>(policy, in, reducer, epilogue, nullptr);
  }
  template <class Policy, class In, class R, RowEpilogueType E>
  static auto call(Policy const& policy, In const& in, R const& reducer, Counts const& counts, E const& epilogue) {
    return call_rows<Operation::reduce_scatter>(policy, in, reducer, epilogue, &counts);
  }
  template <class Policy, class In, RowEpilogueType E>
  static auto call(Policy const& policy, In const& in, Counts const& counts, E const& epilogue) {
    return call(policy, in, Sum{}, counts, epilogue);
  }
  template <class Policy, class In, RowEpilogueType E>
  static auto call(Policy const& policy, In const& in, E const& epilogue) {
    return call(policy, in, Sum{}, epilogue);
  }
  template <class Policy, class In, ArrayLike Out, class R = Sum>
    requires(!std::is_same_v<R, Counts>)
  static auto call(Policy const& policy, In const& in, Out const& out, R const& reducer = {}) {
    return call_reduce_scatter(policy, in, out, reducer, nullptr);
  }
  template <class Policy, class In, ArrayLike Out, class R>
  static auto call(Policy const& policy, In const& in, Out const& out, R const& reducer, Counts const& counts) {
    return call_reduce_scatter(policy, in, out, reducer, &counts);
  }
  template <class Policy, class In, ArrayLike Out>
  static auto call(Policy const& policy, In const& in, Out const& out, Counts const& counts) {
    return call_reduce_scatter(policy, in, out, Sum{}, &counts);
  }
};
}  // namespace Impl

}  // namespace Koinon
