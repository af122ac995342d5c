// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Operations.hpp>
#include <collectives/Koinon_Call.hpp>
#include <collectives/Koinon_LaunchAllReduceMultiple.hpp>
#include <collectives/Koinon_Member.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace Koinon {

namespace Impl {

template <class... T>
struct TypeList {};

/// Joins the types of a list that are not yet there.
template <class List, class... T>
struct Distinct;
template <class... Known>
struct Distinct<TypeList<Known...>> {
  using type = TypeList<Known...>;
};
template <class... Known, class T, class... More>
struct Distinct<TypeList<Known...>, T, More...>
    : Distinct<std::conditional_t<(std::is_same_v<Known, T> || ...), TypeList<Known...>, TypeList<Known..., T>>,
               More...> {};

/// Is the arguments of a launch for members of those elements, in this order.
template <class R, class... Elements>
struct GroupedMembers {
  template <class T>
  using Group = ReducedGroup<T, R, member_room(((std::is_same_v<T, Elements> ? std::size_t{1} : std::size_t{0}) + ...)),
                             (sizeof...(Elements) > most_strided_members)>;
  template <class... T>
  static AllReduceMultipleArguments<Group<T>...> arguments(TypeList<T...>);
  using Arguments = decltype(arguments(typename Distinct<TypeList<>, Elements...>::type()));
};

/// Is what of a member the checks look at, whatever its element.
struct ReducedShape {
  std::string_view element;
  std::byte const* in;
  std::byte const* out;
  std::size_t in_count;
  std::size_t out_count;
  std::size_t in_bytes;  // that lie together; 0: they do not
  std::size_t out_bytes;
  bool in_dense;
  bool out_dense;
  bool equal_extents;
  bool in_place;
};

template <class State, class R, class... Elements>
struct AllReduceMultipleCall {
  static constexpr Operation operation = Operation::all_reduce_multiple;
  static constexpr int members = static_cast<int>(sizeof...(Elements));
  using Backend = typename State::Backend;
  using Block = typename Backend::Block;
  using Grouped = GroupedMembers<R, Elements...>;
  using Arguments = typename Grouped::Arguments;

  Arguments a;
  ReducedShape shapes[sizeof...(Elements)];

  template <class Reducer, class... In, class... Out>
  explicit AllReduceMultipleCall(Reducer const& reducer, Member<In, Out> const&... given) : a(make_reducer(reducer)) {
    check_argument_bytes<Backend, Arguments>();
    int at = 0;
    (take<Elements>(given, shapes[at++]), ...);
    // In place after place, group by group: so do the bodies go through them.
    place(typename Distinct<TypeList<>, Elements...>::type());
  }

  [[nodiscard]] Refusal check(State& state) const {
    for (int m = 0; m < members; ++m) {
      std::size_t const at = static_cast<std::size_t>(m);
      ReducedShape const& shape = shapes[m];
      if (!shape.equal_extents) {
        return refuse_extent(
            member_name("out", at).c_str(), "elements in its extents", shape.out_count,
            "the extents of `" + member_name("in", at) + "` (" + std::to_string(shape.in_count) + " elements)");
      }
      if (Refusal refusal = check_usable(state, shape.in, shape.in_count, "in", at)) return refusal;
      if (Refusal refusal = check_usable(state, shape.out, shape.out_count, "out", at)) return refusal;
      if (Refusal refusal = check_long_list(sizeof...(Elements), shape.in_dense, "in", at)) return refusal;
      if (Refusal refusal = check_long_list(sizeof...(Elements), shape.out_dense, "out", at)) return refusal;
    }
    return check_overlaps();
  }

  [[nodiscard]] SelectionKey key(State const&) const {
    std::uint32_t call = call_id<std::uint8_t>(operation, reducer_id<R>());
    ((call = call * 31u + element_id<Elements>()), ...);
    return {.call = call, .elements = a.length, .rows = a.packets};
  }

  void describe(State& state, Facts& facts) const {
    describe_elements<Backend, std::uint8_t>(state.device(), facts, a.length, 1);
    SegmentLayout const& layout = state.device().m_layout;
    facts.work.elements = static_cast<std::int64_t>(a.length);
    facts.algorithms.refuse(Algorithm::one_shot, "of several arrays each rank reduces its own chunk: two_shot");
    if (Arguments::grain <= layout.part_bytes / static_cast<std::size_t>(layout.max_blocks)) {
      facts.algorithms.allow(Algorithm::two_shot);
    } else {
      facts.algorithms.refuse(Algorithm::two_shot,
                              "elements of so many sizes exceed what a block stages "
                              "(CommunicatorOptions::staging_bytes)");
    }
    if constexpr (((packet_elements<Elements, Block> == 0) || ...)) {
      facts.algorithms.refuse(Algorithm::low_latency, "an element is larger than a packet");
    } else if (a.packets > layout.packet_slot_bytes / sizeof(typename Block::Packet)) {
      facts.algorithms.refuse(Algorithm::low_latency,
                              "the arrays need more packets than there are (CommunicatorOptions::staging_bytes)");
    }
    facts.transports.refuse(Transport::multimem, "several arrays are reduced from each peer's own addresses");
  }

  [[nodiscard]] std::string text(Selection const& selection) const {
    std::string text = call_text(to_string(operation), "bytes", reducer_name<R>(), a.length, selection) + ", arrays of";
    for (int m = 0; m < members; ++m) {
      text += (m == 0 ? " " : " + ") + std::to_string(shapes[m].in_count) + " " + std::string(shapes[m].element);
    }
    return text;
  }

  template <Selector S>
  void launch(State& state, typename Backend::Instance const& instance, Selection const& selection) {
    std::size_t const bytes = round_elements_of<std::uint8_t, Block>(state, selection.blocks, 1);
    a.round_bytes = bytes > Arguments::grain ? bytes / Arguments::grain * Arguments::grain : Arguments::grain;
    launch_all_reduce_multiple<Backend, S>(instance, state.device(), selection, a);
  }

 private:
  template <class T, class In, class Out>
  void take(Member<In, Out> const& given, ReducedShape& shape) {
    auto& group = static_cast<typename Grouped::template Group<T>&>(a);
    auto const in = operand_as<T const>(given.in);
    auto const out = operand_as<T>(given.out);
    group.list[group.members++].set(in, out);
    shape = {element_name<T>(),
             reinterpret_cast<std::byte const*>(in.pointer),
             reinterpret_cast<std::byte const*>(out.pointer),
             in.count,
             out.count,
             in.dense ? in.count * sizeof(T) : 0,
             out.dense ? out.count * sizeof(T) : 0,
             in.dense,
             out.dense,
             equal_extents(given.in, given.out),
             same_elements(in, constant(out))};
  }

  template <class... T>
  void place(TypeList<T...>) {
    (place_group(static_cast<typename Grouped::template Group<T>&>(a)), ...);
  }
  template <class Group>
  void place_group(Group& group) {
    using T = typename Group::Element;
    constexpr std::size_t n = packet_elements < T, Block >> 0 ? static_cast<std::size_t>(packet_elements<T, Block>) : 1;
    for (int m = 0; m < group.members; ++m) {
      auto& member = group.list[m];
      member.begin = (a.length + Group::alignment - 1) / Group::alignment * Group::alignment;
      member.first_packet = a.packets;
      a.length = member.begin + member.count * sizeof(T);
      a.packets += (member.count + n - 1) / n;
    }
  }

  /// Every output must be apart from all else, but that it may be its own input.
  [[nodiscard]] Refusal check_overlaps() const {
    for (int m = 0; m < members; ++m) {
      ReducedShape const& out = shapes[m];
      for (int n = 0; n < members; ++n) {
        std::size_t const at = static_cast<std::size_t>(m);
        std::size_t const other = static_cast<std::size_t>(n);
        if (n > m && overlap(out.out, out.out_bytes, shapes[n].out, shapes[n].out_bytes)) {
          return Refusal::invalid("`" + member_name("out", other) + "` overlaps `" + member_name("out", at) + "`");
        }
        if (n == m && (out.in_place || out.in_count == 0)) continue;
        if (!overlap(out.out, out.out_bytes, shapes[n].in, shapes[n].in_bytes) && !(n == m && out.in == out.out))
          continue;
        return Refusal::invalid("`" + member_name("out", at) + "` overlaps `" + member_name("in", other) +
                                "`; it may be its own `in` or apart from all");
      }
    }
    return {};
  }
};

template <class... Traits, class R, class... In, class... Out>
[[nodiscard]] auto call_all_reduce_multiple(CollectivePolicy<Traits...> const&, R const& reducer,
                                            Member<In, Out> const&... members) {
  using Policy = CollectivePolicy<Traits...>;
  (check_member<Policy>(members), ...);
  return AllReduceMultipleCall<state_of<Policy>, canonical_reducer_t<R>,
                               reduced_element_t<typename Member<In, Out>::Element, R>...>(reducer, members...);
}

template <class T>
inline constexpr bool is_member_v = false;
template <class In, class Out>
inline constexpr bool is_member_v<Member<In, Out>> = true;

}  // namespace Impl

/// Reduces several arrays over ranks in one launch with one synchronization, each as all_reduce does: the same bits on
/// every rank, in rank order, narrow types in float and rounded once. Element types and extents are the members' own;
/// the reducer fits all of them.
///
/// Collective on the policy's instance, with members of equal types and extents on all ranks. A member's `out` may be
/// its `in`. Errors as all_reduce's (docs/operations/all_reduce_multiple).
template <class... Traits, class R, class In, class Out, class... MoreIn, class... MoreOut>
requires(!Impl::is_member_v<R>) void all_reduce_multiple(std::string_view label,
                                                         CollectivePolicy<Traits...> const& policy, R const& reducer,
                                                         Member<In, Out> const& first,
                                                         Member<MoreIn, MoreOut> const&... more) {
  Impl::perform(label, policy, Impl::call_all_reduce_multiple(policy, reducer, first, more...));
}
template <class... Traits, class In, class Out, class... MoreIn, class... MoreOut>
void all_reduce_multiple(std::string_view label, CollectivePolicy<Traits...> const& policy,
                         Member<In, Out> const& first, Member<MoreIn, MoreOut> const&... more) {
  Impl::perform(label, policy, Impl::call_all_reduce_multiple(policy, Sum{}, first, more...));
}
template <class... Traits, class... Arguments>
void all_reduce_multiple(CollectivePolicy<Traits...> const& policy, Arguments const&... arguments) {
  all_reduce_multiple(std::string_view(), policy, arguments...);
}

namespace Impl {
template <>
struct Ask<AllReduceMultiple> {
  template <class Policy, class... In, class... Out>
  static auto call(Policy const& policy, Member<In, Out> const&... members) {
    return call_all_reduce_multiple(policy, Sum{}, members...);
  }
  template <class Policy, class R, class... In, class... Out>
  requires(!is_member_v<R>) static auto call(Policy const& policy, R const& reducer,
                                             Member<In, Out> const&... members) {
    return call_all_reduce_multiple(policy, reducer, members...);
  }
};
}  // namespace Impl

}  // namespace Koinon
