// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Operations.hpp>
#include <collectives/Koinon_Call.hpp>
#include <collectives/Koinon_LaunchAllGatherMultiple.hpp>
#include <collectives/Koinon_Member.hpp>
#include <collectives/Koinon_Rows.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace Koinon {

namespace Impl {

/// Is what of a member the checks look at, beside its bytes.
struct GatheredShape {
  std::string_view element;
  std::size_t element_bytes;
  std::size_t in_rows;  // of the array: with counts, there may be more than take part
  std::size_t out_rows;
  std::size_t in_row_elements;
  bool equal_rows;
  ByteOperand in;
  ByteOperand out;
};

template <class State, int Members>
struct AllGatherMultipleCall {
  static constexpr Operation operation = Operation::all_gather_multiple;
  using Backend = typename State::Backend;
  using Arguments = AllGatherMultipleArguments<member_room(Members)>;

  Arguments a;
  GatheredShape shapes[Members];
  RowCounts counts;
  std::size_t rows;  // that take part, of all ranks

  template <class... In, class... Out>
  AllGatherMultipleCall(State const& state, Counts const* given, Member<In, Out> const&... members)
      : counts{given}, rows(0) {
    check_argument_bytes<Backend, Arguments>();
    std::size_t mine = 0;
    if (given == nullptr) {
      ((rows = a.members++ == 0 ? rows_of(members.out) : rows), ...);
      mine = counts.of(state.rank(), state.size(), rows);
    } else {
      for (std::size_t p = 0; p < given->size(); ++p) {
        std::int64_t const count = given->values()[p] > 0 ? given->values()[p] : 0;  // others are refused, later
        rows += static_cast<std::size_t>(count);
        if (static_cast<int>(p) == state.rank()) mine = static_cast<std::size_t>(count);
      }
    }
    a.members = 0;
    (take(members, mine), ...);
    std::size_t const most = given != nullptr && given->size() != static_cast<std::size_t>(state.size())
                                 ? 0
                                 : counts.most(state.size(), rows);
    for (int m = 0; m < Members; ++m) {
      a.list[m].begin = a.length;
      a.length += (most * a.list[m].row_bytes + Arguments::grain - 1) / Arguments::grain * Arguments::grain;
    }
  }

  [[nodiscard]] Refusal check(State& state) const {
    if (counts.given != nullptr) {
      if (Refusal refusal = check_counts(counts.given->values(), state.size(), "counts")) return refusal;
    }
    std::size_t const mine = counts.of(state.rank(), state.size(), rows);
    for (int m = 0; m < Members; ++m) {
      GatheredShape const& shape = shapes[m];
      std::size_t const at = static_cast<std::size_t>(m);
      if (!shape.equal_rows) {
        return refuse_extent(member_name("in", at).c_str(), "elements in a row", shape.in_row_elements,
                             "the row extents of `" + member_name("out", at) + "`");
      }
      auto const count = [&] {
        return "the count of rank " + std::to_string(state.rank()) + " (" + std::to_string(mine) + ")";
      };
      if (counts.given == nullptr) {
        if (shape.out_rows != rows) {
          return refuse_extent(member_name("out", at).c_str(), "rows", shape.out_rows,
                               "those of member 0 (" + std::to_string(rows) + ")");
        }
        if (shape.in_rows != mine) return refuse_extent(member_name("in", at).c_str(), "rows", shape.in_rows, count());
      } else {
        if (shape.out_rows < rows) {
          return refuse_extent(member_name("out", at).c_str(), "rows", shape.out_rows,
                               "at least the sum of the counts (" + std::to_string(rows) + ")");
        }
        if (shape.in_rows < mine) {
          return refuse_extent(member_name("in", at).c_str(), "rows", shape.in_rows, "at least " + count());
        }
      }
      if (Refusal refusal = check_usable(state, shape.in.pointer, shape.in.count, "in", at)) return refusal;
      if (Refusal refusal = check_usable(state, shape.out.pointer, shape.out.count, "out", at)) return refusal;
      if (Refusal refusal = check_long_list(Members, shape.in.is_dense(), "in", at)) return refusal;
      if (Refusal refusal = check_long_list(Members, shape.out.is_dense(), "out", at)) return refusal;
    }
    return check_overlaps(state);
  }

  [[nodiscard]] SelectionKey key(State const& state) const {
    std::uint64_t const widest = widest_row();
    return {.call = call_id<std::uint8_t>(operation, 0),
            .elements = a.length,
            .rows = counts.most(state.size(), rows) * 0x9E3779B97F4A7C15ull + widest};
  }

  void describe(State& state, Facts& facts) const {
    describe_elements<Backend, std::uint8_t>(state.device(), facts, a.length, 1);
    facts.work = {.elements = static_cast<std::int64_t>(a.length),
                  .rows = static_cast<std::int64_t>(counts.most(state.size(), rows)),
                  .row_elements = static_cast<std::int64_t>(widest_row()),
                  .pieces = state.size()};
    facts.transports.refuse(Transport::multimem, "several arrays are copied from each peer's own addresses");
  }

  [[nodiscard]] std::string text(Selection const& selection) const {
    std::string text = call_text(to_string(operation), "bytes", "", a.length, selection) + counts.text() + ", rows of";
    for (int m = 0; m < Members; ++m) {
      text += (m == 0 ? " " : " + ") + std::to_string(a.list[m].row_bytes / shapes[m].element_bytes) + " " +
              std::string(shapes[m].element);
    }
    return text;
  }

  template <Selector S>
  void launch(State& state, typename Backend::Instance const& instance, Selection const& selection) {
    counts.divide(state, rows, 1, a.shares);
    a.round_bytes = round_elements_of<std::uint8_t, typename Backend::Block>(state, selection.blocks, 1);
    if (a.round_bytes > Arguments::grain) a.round_bytes -= a.round_bytes % Arguments::grain;
    launch_all_gather_multiple<Backend, member_room(Members), S>(instance, state.device(), selection, a);
  }

 private:
  template <class In, class Out>
  void take(Member<In, Out> const& member, std::size_t mine) {
    using T = typename Member<In, Out>::Element;
    int const m = a.members++;
    shapes[m] = {element_name<canonical_element_t<T>>(),
                 sizeof(T),
                 rows_of(member.in),
                 rows_of(member.out),
                 row_elements_of(member.in),
                 equal_extents(member.in, member.out, 1),
                 ByteOperand(member.in, mine),
                 ByteOperand(member.out, rows)};
    a.list[m].set(shapes[m].in, shapes[m].out);
    a.list[m].row_bytes = row_elements_of(member.out) * sizeof(T);
  }

  [[nodiscard]] std::uint64_t widest_row() const {
    std::uint64_t widest = 0;
    for (int m = 0; m < Members; ++m) widest = a.list[m].row_bytes > widest ? a.list[m].row_bytes : widest;
    return widest;
  }

  /// Every output must be apart from all else, but that a member's input may be this rank's rows of its output.
  [[nodiscard]] Refusal check_overlaps(State& state) const {
    std::size_t before = 0;
    for (int p = 0; p < state.rank(); ++p) before += counts.of(p, state.size(), rows);
    auto const overlaps = [](ByteOperand const& x, ByteOperand const& y) {
      return x.is_dense() && y.is_dense() && overlap(x.pointer, x.count, y.pointer, y.count);
    };
    for (int m = 0; m < Members; ++m) {
      ByteOperand const& out = shapes[m].out;
      for (int n = 0; n < Members; ++n) {
        std::size_t const at = static_cast<std::size_t>(m);
        std::size_t const other = static_cast<std::size_t>(n);
        if (n > m && overlaps(out, shapes[n].out)) {
          return Refusal::invalid("`" + member_name("out", other) + "` overlaps `" + member_name("out", at) + "`");
        }
        if (!overlaps(out, shapes[n].in)) continue;
        if (n == m && shapes[n].in.pointer == out.pointer + before * a.list[m].row_bytes) continue;
        return Refusal::invalid("`" + member_name("in", other) + "` overlaps `" + member_name("out", at) +
                                "`; it may be this rank's own rows of its own `out` or apart from it");
      }
    }
    return {};
  }
};

template <class... Traits, class... In, class... Out>
[[nodiscard]] auto call_all_gather_multiple(CollectivePolicy<Traits...> const& policy, Counts const* counts,
                                            Member<In, Out> const&... members) {
  using Policy = CollectivePolicy<Traits...>;
  (check_member<Policy>(members), ...);
  return AllGatherMultipleCall<state_of<Policy>, static_cast<int>(sizeof...(In))>(*policy.state(), counts, members...);
}

}  // namespace Impl

/// Gathers every rank's rows of several arrays, bit for bit, in one launch with one synchronization: of each member,
/// rows offset[p] .. of `out` = `in` of rank p. Element types and widths are the members' own.
///
/// Collective on the policy's instance, with members of equal types and widths on all ranks. With counts, the arrays
/// may have more rows: `in` at least counts[rank], `out` at least sum(counts); those behind are not touched. Without,
/// all outputs have T rows and a rank even_partition(T, ranks). A member's `in` may be this rank's own rows of its
/// `out`. Errors as all_reduce's (docs/operations/all_gather_multiple).
template <class... Traits, class In, class Out, class... MoreIn, class... MoreOut>
void all_gather_multiple(std::string_view label, CollectivePolicy<Traits...> const& policy, Counts const& counts,
                         Member<In, Out> const& first, Member<MoreIn, MoreOut> const&... more) {
  Impl::perform(label, policy, Impl::call_all_gather_multiple(policy, &counts, first, more...));
}
template <class... Traits, class In, class Out, class... MoreIn, class... MoreOut>
void all_gather_multiple(std::string_view label, CollectivePolicy<Traits...> const& policy,
                         Member<In, Out> const& first, Member<MoreIn, MoreOut> const&... more) {
  Impl::perform(label, policy, Impl::call_all_gather_multiple(policy, nullptr, first, more...));
}
template <class... Traits, class... Arguments>
void all_gather_multiple(CollectivePolicy<Traits...> const& policy, Arguments const&... arguments) {
  all_gather_multiple(std::string_view(), policy, arguments...);
}

namespace Impl {
template <>
struct Ask<AllGatherMultiple> {
  template <class Policy, class... In, class... Out>
  static auto call(Policy const& policy, Member<In, Out> const&... members) {
    return call_all_gather_multiple(policy, nullptr, members...);
  }
  template <class Policy, class... In, class... Out>
  static auto call(Policy const& policy, Counts const& counts, Member<In, Out> const&... members) {
    return call_all_gather_multiple(policy, &counts, members...);
  }
};
}  // namespace Impl

}  // namespace Koinon
