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

  Operand<T const> in;
  Operand<T> out;
  std::size_t in_rows;
  std::size_t rows;
  std::size_t row_elements;
  bool equal;
  RowCounts counts;
  int ranks;

  [[nodiscard]] Refusal check(State& state) const {
    if (Refusal refusal = counts.check(ranks, rows, "out")) return refusal;
    if (!equal) return refuse_extent("in", "elements in a row", in.count, "the row extents of `out`");
    std::size_t const mine = counts.of(state.rank(), ranks, rows);
    if (in_rows != mine) {
      return refuse_extent("in", "rows", in_rows, "the count of rank " + std::to_string(state.rank()) + " (" +
                                                      std::to_string(mine) + ")");
    }
    if (in.count > 0 && in.pointer == nullptr) return refuse_null("in");
    if (out.count > 0 && out.pointer == nullptr) return refuse_null("out");
    if (in.dense && out.dense && overlap(in.pointer, in.count * sizeof(T), out.pointer, out.count * sizeof(T)) &&
        in.pointer != out.pointer + counts.shares(state, rows, row_elements).of(state.rank()).begin) {
      return Refusal::invalid("`in` overlaps `out`; it may be this rank's own rows of `out` or apart from it");
    }
    return {};
  }

  [[nodiscard]] SelectionKey key() const {
    return {.call = call_id<T>(operation, 0), .elements = out.count,
            .rows = counts.key(ranks, rows)};
  }

  void describe(State& state, Facts& facts) const {
    std::size_t const longest = counts.most(ranks, rows) * row_elements;
    describe_elements<Backend, T>(state.device(), facts, longest, ranks);
    facts.work.elements = static_cast<std::int64_t>(longest);
    facts.transports.allow(Transport::multimem);
  }

  [[nodiscard]] std::string text(Selection const& selection) const {
    return call_text(to_string(operation), element_name<T>(), "", out.count, selection) + counts.text();
  }

  template <Selector S>
  void launch(State& state, typename Backend::Instance const& instance, Selection const& selection) const {
    using Block = typename Backend::Block;
    // A rank without rows is no source: it hinders nobody's symmetric one.
    Placement const source = in.count == 0 ? Placement::absent()
                             : in.dense    ? state.placement_of(in.pointer)
                                           : Placement{};
    launch_all_gather<Backend, T, S>(instance, state.device(), selection,
                                     {in, out, counts.shares(state, rows, row_elements), source,
                                      out.dense ? state.placement_of(out.pointer) : Placement{},
                                      round_elements_of<T, Block>(state, selection.blocks, 1),
                                      round_elements_of<T, Block>(state, selection.blocks, ranks)});
  }
};

template <class Policy, class In, class Out>
[[nodiscard]] auto call_all_gather(Policy const& policy, In const& in, Out const& out, Counts const* counts) {
  check_access<typename Policy::execution_space, In>();
  check_access<typename Policy::execution_space, Out>();
  auto const source = as_array(in);
  auto const result = as_array(out);
  using T = std::remove_const_t<typename decltype(source)::value_type>;
  check_elements<T, typename decltype(result)::value_type>();
  using State = std::remove_reference_t<decltype(*policy.state())>;
  using M = moved_element_t<T>;
  return AllGatherCall<State, M>{operand_as<M const>(source), operand_as<M>(result),    rows_of(source),
                                 rows_of(result),             row_elements_of(result), equal_extents(source, result, 1),
                                 RowCounts{counts},           policy.state()->size()};
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
