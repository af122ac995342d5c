// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_AllGatherColumns.hpp>
#include <collectives/Koinon_Borrowed.hpp>
#include <collectives/Koinon_ShardsToRows.hpp>

#include <cstddef>
#include <string_view>

/// Exchanges whose result is a view of a workspace. Every rank stores its pieces straight into the peers' workspaces, so
/// there is a barrier at the entry: a peer writes only once this rank has entered its call. SkipEntryBarrier leaves it out;
/// its hazard is then the caller's: see the trait.
namespace Koinon {

namespace Impl {

/// Runs an exchange into a workspace and returns the result [rows, columns].
template <class Shape, class Policy, class In, class... Lists>
[[nodiscard]] auto lend_exchange(std::string_view operation, std::string_view label, Policy const& policy,
                                 Workspace const& workspace, In const& in, std::size_t rows, std::size_t columns,
                                 Lists const*... lists) {
  using T = element_of<In>;
  auto& state = *policy.state();
  state.require_good();
  // Its extents are those of the result; the element is not looked at.
  Array<T, 2> const result = borrow<T>(state, operation, label, workspace, Array<T, 2>(nullptr, rows, columns), rows);
  perform(label, policy, call_exchange<Shape>(policy, Result::lent, in, result, lists...));
  return as_borrowed<In>(result);
}

}  // namespace Impl

/// Gathers as all_gather_columns does and returns the result [T, sum(widths)] in the workspace; without widths each rank
/// has as many columns as this one.
template <class... Traits, ArrayLike In>
[[nodiscard]] auto all_gather_columns_borrowed(std::string_view label, CollectivePolicy<Traits...> const& policy,
                                               Workspace const& workspace, In const& in, Widths const& widths) {
  return Impl::lend_exchange<Impl::AllGatherColumnsShape>("all_gather_columns_borrowed", label, policy, workspace, in,
                                                          Impl::rows_of(as_array(in)), Impl::total_of(widths), &widths);
}
template <class... Traits, ArrayLike In>
[[nodiscard]] auto all_gather_columns_borrowed(std::string_view label, CollectivePolicy<Traits...> const& policy,
                                               Workspace const& workspace, In const& in) {
  auto const source = as_array(in);
  std::size_t const columns = Impl::row_elements_of(source) * static_cast<std::size_t>(policy.state()->size());
  return Impl::lend_exchange<Impl::AllGatherColumnsShape>("all_gather_columns_borrowed", label, policy, workspace, in,
                                                          Impl::rows_of(source), columns);
}
template <class... Traits, ArrayLike In>
[[nodiscard]] auto all_gather_columns_borrowed(CollectivePolicy<Traits...> const& policy, Workspace const& workspace,
                                               In const& in, Widths const& widths) {
  return all_gather_columns_borrowed(std::string_view(), policy, workspace, in, widths);
}
template <class... Traits, ArrayLike In>
[[nodiscard]] auto all_gather_columns_borrowed(CollectivePolicy<Traits...> const& policy, Workspace const& workspace,
                                               In const& in) {
  return all_gather_columns_borrowed(std::string_view(), policy, workspace, in);
}

/// Exchanges as shards_to_rows does and returns this rank's rows [N, C] in the workspace.
template <class... Traits, ArrayLike In>
[[nodiscard]] auto shards_to_rows_borrowed(std::string_view label, CollectivePolicy<Traits...> const& policy,
                                           Workspace const& workspace, In const& in) {
  auto const source = as_array(in);
  auto const ranks = static_cast<std::size_t>(policy.state()->size());
  return Impl::lend_exchange<Impl::ShardsToRowsShape>("shards_to_rows_borrowed", label, policy, workspace, in,
                                                      Impl::rows_of(source) / ranks, Impl::row_elements_of(source) * ranks);
}
template <class... Traits, ArrayLike In>
[[nodiscard]] auto shards_to_rows_borrowed(CollectivePolicy<Traits...> const& policy, Workspace const& workspace,
                                           In const& in) {
  return shards_to_rows_borrowed(std::string_view(), policy, workspace, in);
}

}  // namespace Koinon
