// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_AllGather.hpp>
#include <collectives/Koinon_ReduceScatter.hpp>
#include <communicator/Koinon_Workspace.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

/// Operations whose result is a view of a workspace instead of a copy. Each is the plain operation with the workspace
/// as its output: peers write there, if at all, only after this rank has entered its next call (entry words).
namespace Koinon {

namespace Impl {

/// Returns rows of `like`'s shape that lie in the workspace; refuses what does not fit, with both numbers.
template <class T, class State, class A, int Rank>
[[nodiscard]] Array<T, Rank> borrow(State& state, std::string_view operation, std::string_view label,
                                    Workspace const& workspace, Array<A, Rank> const& like, std::size_t rows) {
  static_assert(Rank >= 1, "Koinon: a borrowed result has rows");
  Array<T, Rank> result;
  result.pointer = reinterpret_cast<T*>(workspace.data());
  std::ptrdiff_t stride = 1;
  std::size_t bytes = sizeof(T);
  for (int d = Rank - 1; d >= 0; --d) {
    result.extents[d] = d == 0 ? rows : like.extents[d];
    result.strides[d] = stride;
    bytes = checked_product(bytes, result.extents[d]);
    stride *= static_cast<std::ptrdiff_t>(result.extents[d]);
  }
  if (!workspace.belongs_to(&state)) {
    throw_refusal(Refusal::invalid("`workspace` was made from another communicator"), operation, label, state.rank());
  }
  if (bytes > workspace.bytes()) throw_workspace_too_small(operation, label, state.rank(), bytes, workspace.bytes());
  return result;
}

template <class In>
using element_of = std::remove_const_t<typename decltype(as_array(std::declval<In const&>()))::value_type>;

/// Returns a borrowed array in the kind of the input: a View for a View, else a Koinon::Array.
template <class In, class T, int Rank>
[[nodiscard]] auto as_borrowed(Array<T, Rank> const& result) {
  if constexpr (requires { ArrayTraits<In>::from_array(result); }) {
    return ArrayTraits<In>::from_array(result);
  } else {
    return result;
  }
}

/// Sums counts that a later check may still refuse: no more than 64 bits hold, negative ones count as none.
[[nodiscard]] inline std::size_t total_of(RankNumbers const& counts) {
  std::size_t total = 0;
  for (std::int64_t const count : counts.values()) {
    std::size_t const rows = count > 0 ? static_cast<std::size_t>(count) : 0;
    total = rows > ~total ? ~std::size_t{0} : total + rows;
  }
  return total;
}

}  // namespace Impl

/// Stands for the counts of an even partition of so many rows over the communicator's ranks.
struct TotalRows {
  std::int64_t rows;
};

/// Gathers as all_gather does and returns the result [sum(counts), ...] in the workspace.
template <class... Traits, ArrayLike In>
[[nodiscard]] auto all_gather_borrowed(std::string_view label, CollectivePolicy<Traits...> const& policy,
                                       Workspace const& workspace, In const& in, Counts const& counts) {
  auto& state = *policy.state();
  state.require_good();
  auto const result = Impl::borrow<Impl::element_of<In>>(state, "all_gather_borrowed", label, workspace, as_array(in),
                                                         Impl::total_of(counts));
  all_gather(label, policy, in, result, counts);
  return Impl::as_borrowed<In>(result);
}
template <class... Traits, ArrayLike In>
[[nodiscard]] auto all_gather_borrowed(std::string_view label, CollectivePolicy<Traits...> const& policy,
                                       Workspace const& workspace, In const& in, TotalRows total) {
  return all_gather_borrowed(label, policy, workspace, in, Counts(even_partition(total.rows, policy.state()->size())));
}
template <class... Traits, ArrayLike In, class CountsOrTotal>
[[nodiscard]] auto all_gather_borrowed(CollectivePolicy<Traits...> const& policy, Workspace const& workspace,
                                       In const& in, CountsOrTotal const& counts) {
  return all_gather_borrowed(std::string_view(), policy, workspace, in, counts);
}

/// Reduces and scatters as reduce_scatter does and returns this rank's rows in the workspace.
template <class... Traits, ArrayLike In, class R = Sum>
  requires(!std::is_same_v<R, Counts>)
[[nodiscard]] auto reduce_scatter_borrowed(std::string_view label, CollectivePolicy<Traits...> const& policy,
                                           Workspace const& workspace, In const& in, R const& reducer = {}) {
  auto const source = as_array(in);
  auto& state = *policy.state();
  return reduce_scatter_borrowed(label, policy, workspace, in, reducer,
                                 Counts(even_partition(static_cast<std::int64_t>(Impl::rows_of(source)), state.size())));
}
template <class... Traits, ArrayLike In, class R>
[[nodiscard]] auto reduce_scatter_borrowed(std::string_view label, CollectivePolicy<Traits...> const& policy,
                                           Workspace const& workspace, In const& in, R const& reducer,
                                           Counts const& counts) {
  auto& state = *policy.state();
  state.require_good();
  auto const values = counts.values();
  std::size_t const rank = static_cast<std::size_t>(state.rank());
  std::size_t const mine = rank < values.size() && values[rank] > 0 ? static_cast<std::size_t>(values[rank]) : 0;
  auto const result = Impl::borrow<Impl::element_of<In>>(state, "reduce_scatter_borrowed", label, workspace, as_array(in), mine);
  reduce_scatter(label, policy, in, result, reducer, counts);
  return Impl::as_borrowed<In>(result);
}
template <class... Traits, ArrayLike In, class... Rest>
[[nodiscard]] auto reduce_scatter_borrowed(CollectivePolicy<Traits...> const& policy, Workspace const& workspace,
                                           In const& in, Rest const&... rest) {
  return reduce_scatter_borrowed(std::string_view(), policy, workspace, in, rest...);
}

}  // namespace Koinon
