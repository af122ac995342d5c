// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_Call.hpp>
#include <collectives/Koinon_LaunchAllGather.hpp>
#include <collectives/Koinon_Rows.hpp>
#include <Koinon_Operations.hpp>

#include <string>
#include <string_view>
#include <type_traits>

namespace Koinon {

namespace Impl {

template <class State, class T>
struct AllGatherCall {
  static constexpr Operation operation = Operation::all_gather;
  using Backend = typename State::Backend;

  AllGatherArguments<T> a;
  Division division;

  [[nodiscard]] Refusal check(State& state) const { return division.check(state, a.out, "out", a.in, "in"); }

  [[nodiscard]] SelectionKey key(State const& state) const {
    return {.call = call_id<T>(operation, 0), .elements = a.out.count,
            .rows = division.counts.key(state.size(), division.rows)};
  }

  void describe(State& state, Facts& facts) const {
    std::size_t const longest = division.longest(state.size());
    describe_elements<Backend, T>(state.device(), facts, longest, state.size());
    facts.work.elements = static_cast<std::int64_t>(longest);
    describe_multimem_moves<Backend>(facts);
  }

  [[nodiscard]] std::string text(Selection const& selection) const {
    return call_text(to_string(operation), element_name<T>(), "", a.out.count, selection) + division.counts.text();
  }

  template <Selector S>
  void launch(State& state, typename Backend::Instance const& instance, Selection const& selection) {
    using Block = typename Backend::Block;
    division.counts.divide(state, division.rows, division.row_elements, a.shares);
    // A rank without rows is no source: it hinders nobody's symmetric one.
    a.source = a.in.count == 0 ? Placement::absent() : placement_of(state, a.in);
    a.destination = placement_of(state, a.out);
    a.round_elements = round_elements_of<T, Block>(state, selection.blocks, 1);
    a.share_round_elements = round_elements_of<T, Block>(state, selection.blocks, state.size());
    launch_all_gather<Backend, T, S>(instance, state.device(), selection, a);
  }
};

template <class Policy, class In, class Out>
[[nodiscard]] auto call_all_gather(Policy const&, In const& in, Out const& out, Counts const* counts) {
  GivenArrays<Policy, In, Out> const given(in, out);
  using M = moved_element_t<typename decltype(given)::Element>;
  return AllGatherCall<state_of<Policy>, M>{{operand_as<M const>(given.in), operand_as<M>(given.out)},
                                            Division(counts, given.out, given.in)};
}

}  // namespace Impl

/// Gathers every rank's rows on every rank, bit for bit: rows offset[p] .. of out [T, ...] = in of rank p.
///
/// Collective on the policy's instance. `in` has counts[rank] rows, even_partition(T, ranks) without counts; it may be
/// this rank's own rows of `out`. Errors as all_reduce's.
template <class... Traits, ArrayLike In, ArrayLike Out>
void all_gather(std::string_view label, CollectivePolicy<Traits...> const& policy, In const& in, Out const& out) {
  Impl::perform(label, policy, Impl::call_all_gather(policy, in, out, nullptr));
}
template <class... Traits, ArrayLike In, ArrayLike Out>
void all_gather(std::string_view label, CollectivePolicy<Traits...> const& policy, In const& in, Out const& out,
                Counts const& counts) {
  Impl::perform(label, policy, Impl::call_all_gather(policy, in, out, &counts));
}
template <class... Traits, ArrayLike In, ArrayLike Out, class... Rest>
void all_gather(CollectivePolicy<Traits...> const& policy, In const& in, Out const& out, Rest const&... rest) {
  all_gather(std::string_view(), policy, in, out, rest...);
}

namespace Impl {
template <>
struct Ask<AllGather> {
  template <class Policy, class In, class Out>
  static auto call(Policy const& policy, In const& in, Out const& out) {
    return call_all_gather(policy, in, out, nullptr);
  }
  template <class Policy, class In, class Out>
  static auto call(Policy const& policy, In const& in, Out const& out, Counts const& counts) {
    return call_all_gather(policy, in, out, &counts);
  }
};
}  // namespace Impl

}  // namespace Koinon
