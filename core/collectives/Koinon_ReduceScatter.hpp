// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_Call.hpp>
#include <collectives/Koinon_LaunchReduceScatter.hpp>
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

  Operand<T const> in;
  Operand<T> out;
  std::size_t rows;
  std::size_t out_rows;
  std::size_t row_elements;
  bool equal;
  R reducer;
  RowCounts counts;
  int ranks;

  [[nodiscard]] Refusal check(State& state) const {
    if (Refusal refusal = counts.check(ranks, rows, "in")) return refusal;
    if (!equal) return refuse_extent("out", "elements in a row", out.count, "the row extents of `in`");
    std::size_t const mine = counts.of(state.rank(), ranks, rows);
    if (out_rows != mine) {
      return refuse_extent("out", "rows", out_rows, "the count of rank " + std::to_string(state.rank()) + " (" +
                                                        std::to_string(mine) + ")");
    }
    if (in.count > 0 && in.pointer == nullptr) return refuse_null("in");
    if (out.count > 0 && out.pointer == nullptr) return refuse_null("out");
    if (in.dense && out.dense && overlap(in.pointer, in.count * sizeof(T), out.pointer, out.count * sizeof(T)) &&
        out.pointer != in.pointer + counts.shares(state, rows, row_elements).of(state.rank()).begin) {
      return Refusal::invalid("`out` overlaps `in`; it may be this rank's own rows of `in` or apart from it");
    }
    return {};
  }

  [[nodiscard]] SelectionKey key() const {
    return {.call = call_id<T>(operation, reducer_id<R>()), .elements = in.count,
            .rows = counts.key(ranks, rows)};
  }

  void describe(State& state, Facts& facts) const {
    std::size_t const longest = counts.most(ranks, rows) * row_elements;
    describe_elements<Backend, T>(state.device(), facts, longest, ranks);
    facts.work.elements = static_cast<std::int64_t>(longest);
    describe_multimem<Backend, T, R>(facts);
  }

  [[nodiscard]] std::string text(Selection const& selection) const {
    return call_text(to_string(operation), element_name<T>(), reducer_name<R>(), in.count, selection) + counts.text();
  }

  template <Selector S>
  void launch(State& state, typename Backend::Instance const& instance, Selection const& selection) const {
    launch_reduce_scatter<Backend, T, R, S>(
        instance, state.device(), selection,
        {in, out, counts.shares(state, rows, row_elements), ReducerTraits<R, T>(reducer),
         in.dense ? state.placement_of(in.pointer) : Placement{},
         round_elements_of<T, typename Backend::Block>(state, selection.blocks, ranks)});
  }
};

template <class Policy, class In, class Out, class R>
[[nodiscard]] auto call_reduce_scatter(Policy const& policy, In const& in, Out const& out, R const& reducer,
                                       Counts const* counts) {
  check_access<typename Policy::execution_space, In>();
  check_access<typename Policy::execution_space, Out>();
  auto const source = as_array(in);
  auto const result = as_array(out);
  using T = std::remove_const_t<typename decltype(source)::value_type>;
  check_elements<T, typename decltype(result)::value_type>();
  using State = std::remove_reference_t<decltype(*policy.state())>;
  using C = reduced_element_t<T, R>;
  return ReduceScatterCall<State, C, canonical_reducer_t<R>>{operand_as<C const>(source),
                                                             operand_as<C>(result),
                                                             rows_of(source),
                                                             rows_of(result),
                                                             row_elements_of(source),
                                                             equal_extents(source, result, 1),
                                                             make_reducer(reducer),
                                                             RowCounts{counts},
                                                             policy.state()->size()};
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

namespace Impl {
template <>
struct Ask<ReduceScatter> {
  template <class Policy, class In, class Out, class R = Sum>
    requires(!std::is_same_v<R, Counts>)
  static auto call(Policy const& policy, In const& in, Out const& out, R const& reducer = {}) {
    return call_reduce_scatter(policy, in, out, reducer, nullptr);
  }
  template <class Policy, class In, class Out, class R>
  static auto call(Policy const& policy, In const& in, Out const& out, R const& reducer, Counts const& counts) {
    return call_reduce_scatter(policy, in, out, reducer, &counts);
  }
  template <class Policy, class In, class Out>
  static auto call(Policy const& policy, In const& in, Out const& out, Counts const& counts) {
    return call_reduce_scatter(policy, in, out, Sum{}, &counts);
  }
};
}  // namespace Impl

}  // namespace Koinon
