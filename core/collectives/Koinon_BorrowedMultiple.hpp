// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_AllGatherMultiple.hpp>
#include <collectives/Koinon_Borrowed.hpp>
#include <communicator/Koinon_Workspace.hpp>

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace Koinon {

namespace Impl {

/// Says where results of several arrays lie in one workspace: each from a place on that depends on the bytes of the
/// workspace and on the widths, not on how many rows a call has. So a smaller batch begins at the same addresses.
template <std::size_t Members>
struct SharedWorkspace {
  static constexpr std::size_t alignment = 64;

  std::array<std::size_t, Members> row_bytes;

  /// Returns the bytes before a member's result, where each has room for so many rows; of all of them for `Members`.
  [[nodiscard]] std::size_t begin(std::size_t member, std::size_t rows) const {
    (void)checked_product(rows, sum() + Members * alignment);  // so nothing below exceeds 64 bits
    std::size_t bytes = 0;
    for (std::size_t m = 0; m < member; ++m) bytes += (rows * row_bytes[m] + alignment - 1) / alignment * alignment;
    return bytes;
  }
  /// Returns how many rows of all members fit.
  [[nodiscard]] std::size_t rows_of(std::size_t bytes) const {
    std::size_t rows = sum() > 0 ? bytes / sum() : 0;
    while (rows > 0 && begin(Members, rows) > bytes) --rows;
    return rows;
  }

 private:
  [[nodiscard]] std::size_t sum() const {
    std::size_t bytes = 0;
    for (std::size_t const row : row_bytes) bytes += row;
    return bytes;
  }
};

/// Returns rows of `like`'s shape that lie at p.
template <class T, class A, int Rank>
[[nodiscard]] Array<T, Rank> rows_at(std::byte* p, Array<A, Rank> const& like, std::size_t rows) {
  static_assert(Rank >= 1, "Koinon: a borrowed result has rows");
  Array<T, Rank> result;
  result.pointer = reinterpret_cast<T*>(p);
  std::ptrdiff_t stride = 1;
  for (int d = Rank - 1; d >= 0; --d) {
    result.extents[d] = d == 0 ? rows : like.extents[d];
    result.strides[d] = stride;
    stride *= static_cast<std::ptrdiff_t>(result.extents[d]);
  }
  return result;
}

}  // namespace Impl

/// Returns the bytes that a workspace needs for the results of all_gather_multiple_borrowed on arrays of elements T...
/// of so many elements a row each, of `rows` of all ranks together. 64-bit arithmetic; ResourceError beyond.
template <OperationType OperationTag, class... T, class... Widths>
requires(std::is_same_v<OperationTag, AllGatherMultiple> && (std::convertible_to<Widths, std::size_t> && ...))
    [[nodiscard]] std::size_t workspace_bytes(int, std::size_t rows, Widths... row_elements) {
  static_assert(sizeof...(T) == sizeof...(Widths), "Koinon::workspace_bytes: one width for each element type expected");
  Impl::SharedWorkspace<sizeof...(T)> const shared{
      {Impl::checked_product(static_cast<std::size_t>(row_elements), sizeof(T))...}};
  return shared.begin(sizeof...(T), rows);
}

/// Gathers as all_gather_multiple does and returns the results, [sum(counts), ...] each, as a tuple of arrays in the
/// workspace. Each `in` has at least counts[rank] rows.
template <class... Traits, ArrayLike... In>
[[nodiscard]] auto all_gather_multiple_borrowed(std::string_view label, CollectivePolicy<Traits...> const& policy,
                                                Workspace const& workspace, Counts const& counts, In const&... in) {
  static_assert(sizeof...(In) > 0, "Koinon: all_gather_multiple_borrowed needs an array");
  constexpr std::string_view name = "all_gather_multiple_borrowed";
  auto& state = *policy.state();
  state.require_good();
  if (!workspace.belongs_to(&state)) {
    Impl::throw_refusal(Impl::Refusal::invalid("`workspace` was made from another communicator"), name, label,
                        state.rank());
  }
  std::size_t const rows = Impl::total_of(counts);
  Impl::SharedWorkspace<sizeof...(In)> const shared{
      {Impl::checked_product(Impl::row_elements_of(as_array(in)), sizeof(Impl::element_of<In>))...}};
  std::size_t const needed = shared.begin(sizeof...(In), rows);
  if (needed > workspace.bytes()) {
    Impl::throw_workspace_too_small(name, label, state.rank(), needed, workspace.bytes());
  }
  std::size_t const room = shared.rows_of(workspace.bytes());
  return [&]<std::size_t... M>(std::index_sequence<M...>) {
    auto const results = std::tuple(
        Impl::rows_at<Impl::element_of<In>>(workspace.data() + shared.begin(M, room), as_array(in), rows)...);
    all_gather_multiple(label, policy, counts, member(in, std::get<M>(results))...);
    return std::tuple(Impl::as_borrowed<In>(std::get<M>(results))...);
  }
  (std::index_sequence_for<In...>{});
}
template <class... Traits, ArrayLike... In>
[[nodiscard]] auto all_gather_multiple_borrowed(std::string_view label, CollectivePolicy<Traits...> const& policy,
                                                Workspace const& workspace, TotalRows total, In const&... in) {
  return all_gather_multiple_borrowed(label, policy, workspace,
                                      Counts(even_partition(total.rows, policy.state()->size())), in...);
}
template <class... Traits, class CountsOrTotal, ArrayLike... In>
[[nodiscard]] auto all_gather_multiple_borrowed(CollectivePolicy<Traits...> const& policy, Workspace const& workspace,
                                                CountsOrTotal const& counts, In const&... in) {
  return all_gather_multiple_borrowed(std::string_view(), policy, workspace, counts, in...);
}

}  // namespace Koinon
