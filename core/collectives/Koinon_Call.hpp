// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_CanonicalCall.hpp>
#include <collectives/Koinon_Refusal.hpp>
#include <communicator/Koinon_Communicator.hpp>
#include <communicator/Koinon_ToolsEvent.hpp>
#include <Koinon_CollectivePolicy.hpp>
#include <Koinon_Selection.hpp>
#include <protocol/Koinon_Packets.hpp>
#include <protocol/Koinon_Sentinels.hpp>
#include <reducers/Koinon_ReducerTraits.hpp>
#include <transports/Koinon_MultimemTransport.hpp>
#include <transports/Koinon_PeerLoadTransport.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

/// The way of a call, the same for every operation: contract, selection, launch. An operation's own part is a Call:
///
///   Operation operation()                      which one
///   Refusal check(State&) const                what needs no launch to be refused
///   SelectionKey key(State const&) const       what selects, beside the request
///   void describe(State&, Facts&) const        the call's part of the facts
///   std::string text(Selection) const          what must be equal on all ranks, for KOINON_CHECK
///   void launch<Selector>(State&, Instance, Selection)    once; completes the arguments and launches with them
namespace Koinon::Impl {

/// Selects anew and remembers it; null: refused, and why. Apart from the calls that repeat an earlier one.
template <class State, class Call>
[[gnu::noinline, gnu::cold]] Selection const* choose_anew(State& state, Request const& request, Call const& call,
                                                          Refusal& refusal) {
  Facts facts = state.facts();
  call.describe(state, facts);
  SelectionAnswer const answer = select(Call::operation, request, facts, state.tunings());
  if (!answer) {
    refusal = Refusal::unsupported(answer.reason());
    return nullptr;
  }
  state.note_dropped(Call::operation, *answer);
  return &state.selections().put(call.key(state), request, *answer);
}

/// Returns the selection of a call, from the cache or made; null: refused, and why.
template <class State, class Call>
Selection const* choose(State& state, Request const& request, Call const& call, Refusal& refusal) {
  if (Selection const* const known = state.selections().find(call.key(state), request)) [[likely]] return known;
  return choose_anew(state, request, call, refusal);
}

/// Runs a call: throws before anything is launched, or launches once.
template <class Policy, class Call>
void perform(std::string_view label, Policy const& policy, Call&& call) {
  auto& state = *policy.state();
  using Space = typename Policy::execution_space;
  state.require_good();
  auto const instance = ExecutionSpaceTraits<Space>::instance(policy.space());
  Refusal refusal = call.check(state);
  if (!refusal) [[likely]] {
    if (char const* const reason = state.memory().refusal_of(instance)) [[unlikely]] refusal = refuse_instance(reason);
  }
  Selection const* const selection = refusal ? nullptr : choose(state, policy.request(), call, refusal);
  std::string_view const name = to_string(Call::operation);
  if (refusal) [[unlikely]] throw_refusal(refusal, name, label, state.rank());
  [[maybe_unused]] ToolsEvent const event(policy.space(), name, label);
  state.note_call(name, label);
  if (state.checks_calls()) [[unlikely]] state.publish_call(call.text(*selection));
  call.template launch<Policy::selector>(state, instance, *selection);
  state.require_good();  // on hosts a launch has ended here; elsewhere this finds what earlier ones met
}

/// Answers whether a call can run.
template <class Policy, class Call>
[[nodiscard]] Answer ask(Policy const& policy, Call const& call) {
  auto& state = *policy.state();
  if (!state.health().good()) return Answer("the communicator has failed");
  Refusal refusal = call.check(state);
  if (!refusal) {
    auto const instance = ExecutionSpaceTraits<typename Policy::execution_space>::instance(policy.space());
    if (char const* const reason = state.memory().refusal_of(instance)) refusal = refuse_instance(reason);
  }
  if (!refusal) (void)choose(state, policy.request(), call, refusal);
  return refusal ? Answer(refusal_text(refusal, to_string(Call::operation), "", state.rank())) : Answer();
}

/// Fills what every operation on elements of T offers: algorithms whose messages fit, the portable transport.
/// @param message_elements what a rank sends to one peer; @param shares pieces into which a block divides its staging
template <class Backend, class T>
void describe_elements(DeviceCommunicator const& comm, Facts& facts, std::size_t message_elements, int shares) {
  using Block = typename Backend::Block;
  std::size_t const room = comm.m_layout.part_bytes / static_cast<std::size_t>(comm.m_layout.max_blocks) /
                           static_cast<std::size_t>(shares);
  facts.element_bytes = static_cast<std::int32_t>(sizeof(T));
  facts.message_bytes = static_cast<std::int64_t>(message_elements * sizeof(T));
  if (sizeof(T) <= room) {
    facts.algorithms.allow(Algorithm::one_shot);
  } else {
    facts.algorithms.refuse(Algorithm::one_shot,
                            "an element exceeds what a block stages for a rank (CommunicatorOptions::staging_bytes)");
  }
  facts.transports.allow(Transport::peer_load);
  constexpr int elements = packet_elements<T, Block>;
  if (elements > 0) {
    std::size_t const packets = comm.m_layout.packet_slot_bytes / sizeof(typename Block::Packet);
    facts.algorithms.allow(Algorithm::low_latency);
    facts.low_latency_max_bytes = static_cast<std::int64_t>(packets * static_cast<std::size_t>(elements) * sizeof(T));
  } else {
    facts.algorithms.refuse(Algorithm::low_latency, "an element is larger than a packet");
  }
  facts.refuse(Algorithm::low_latency, Transport::multimem, "packets are stored to each peer apart");
}

/// Returns for how many bytes sentinels have room; 0: T and R are not sent so.
/// @param owners between how many ranks the message is divided, whose results take as much room again; 1: it is not
template <class T, class R, class Block>
[[nodiscard]] std::size_t sentinel_room(DeviceCommunicator const& comm, int owners) {
  if constexpr (!may_use_sentinels<T, R, Block>) return 0;
  std::size_t const slot = comm.m_layout.sentinel_slot_bytes;
  return owners > 1 ? slot / 32 * 16 * static_cast<std::size_t>(owners) : slot;
}

/// Allows low latency for as much as sentinels have room for.
template <class Backend, class T, class R>
void describe_sentinels(DeviceCommunicator const& comm, Facts& facts, int owners) {
  auto const room = static_cast<std::int64_t>(sentinel_room<T, R, typename Backend::Block>(comm, owners));
  if (room > facts.low_latency_max_bytes) facts.low_latency_max_bytes = room;
}

/// Says whether a low-latency reduction goes by sentinels: above half of what packets have room for they are faster. With
/// little staging and many ranks they may have less room, or none.
template <class T, class R, class Block>
[[nodiscard]] bool goes_by_sentinels(DeviceCommunicator const& comm, std::size_t elements, int owners) {
  std::size_t const packets = comm.m_layout.packet_slot_bytes / sizeof(typename Block::Packet);
  return elements > packets / 2 * static_cast<std::size_t>(packet_elements<T, Block>) &&
         elements * sizeof(T) <= sentinel_room<T, R, Block>(comm, owners);
}

/// Says whether a policy's kernels may use that algorithm and transport: traits restrict what is instantiated.
constexpr bool may_use(Selector selector, Algorithm algorithm, Transport transport) {
  return (selector.algorithm == Algorithm::automatic || selector.algorithm == algorithm) &&
         (selector.transport == Transport::automatic || selector.transport == transport);
}

/// Returns how many elements of a block are staged in a round: as many as the backend likes and the part has room for.
/// @param times of what the backend likes: where results are staged beside what they are made of
template <class T, class Block, class State>
[[nodiscard]] std::size_t round_elements_of(State const& state, int blocks, int shares, std::size_t times = 1) {
  constexpr std::size_t pack = pack_elements<T, Block>;
  std::size_t const pieces = static_cast<std::size_t>(blocks) * static_cast<std::size_t>(shares);
  std::size_t const part = state.device().m_layout.part_bytes;
  std::size_t const wanted = times * state.round_bytes() < part ? times * state.round_bytes() : part;
  std::size_t const elements = wanted / sizeof(T) / pieces / pack * pack;
  if (elements > 0) return elements;
  std::size_t const least = part / sizeof(T) / pieces;  // fewer than a pack: large elements, many shares
  return least / pack > 0 ? pack : least;
}

/// Returns what all ranks must agree on about a call, as a text; counts may follow.
KOINON_EXPORT std::string call_text(std::string_view operation, std::string_view element, std::string_view reducer,
                                    std::size_t elements, Selection const& selection);

/// Returns the constant part of a selection's key.
template <class T>
[[nodiscard]] consteval std::uint32_t call_id(Operation operation, std::uint32_t reducer) {
  return (static_cast<std::uint32_t>(operation) * 31u + element_id<T>()) * 31u + reducer + static_cast<std::uint32_t>(sizeof(T));
}

/// Says why no kernel of a backend goes over Multimem; null: some do, where the communicator has multicast memory.
template <class Backend>
consteval char const* multimem_moves_refusal() {
  if constexpr (requires { Backend::no_multimem; }) {
    return Backend::no_multimem;
  } else {
    return nullptr;
  }
}

/// Allows Multimem where the communicator has multicast memory.
template <class Backend>
void describe_multimem_moves(Facts& facts) {
  if constexpr (multimem_moves_refusal<Backend>() != nullptr) {
    facts.transports.refuse(Transport::multimem, multimem_moves_refusal<Backend>());
  } else if (facts.capabilities.contains(Capability::multimem)) {
    facts.transports.allow(Transport::multimem);
  } else {
    facts.transports.refuse(Transport::multimem, "the communicator has no multicast memory: describe() says why");
  }
}

/// Allows Multimem where the backend's hardware reduces T with R, too.
template <class Backend, class T, class R>
void describe_multimem(Facts& facts) {
  constexpr char const* refusal = Backend::template multimem_refusal<T, R>;
  if constexpr (refusal == nullptr) {
    describe_multimem_moves<Backend>(facts);
  } else {
    facts.transports.refuse(Transport::multimem, refusal);
  }
}

/// Says at compile time that in and out fit together and that out can be written.
template <class In, class Out>
constexpr void check_elements() {
  static_assert(!std::is_const_v<Out>, "Koinon: `out` has const elements");
  static_assert(std::is_same_v<In, std::remove_const_t<Out>>, "Koinon: `in` and `out` have different element types");
  static_assert(Element<In>, "Koinon: an element type must be trivially copyable");
}

/// Says at compile time that the policy's space can access an array, where the array's type tells.
template <class ExecutionSpace, class A>
constexpr void check_access() {
  if constexpr (requires { ArrayTraits<A>::template is_accessible_from<ExecutionSpace>; }) {
    static_assert(ArrayTraits<A>::template is_accessible_from<ExecutionSpace>,
                  "Koinon: the policy's execution space cannot access the memory space of this View");
  }
}

/// Is the communicator of a policy.
template <class Policy>
using state_of = std::remove_reference_t<decltype(*std::declval<Policy const&>().state())>;

/// Is what a call with an input and an output was given, as arrays; checked as far as the types tell.
template <class Policy, class In, class Out>
struct GivenArrays {
  using Source = decltype(as_array(std::declval<In const&>()));
  using Result = decltype(as_array(std::declval<Out const&>()));
  using Element = std::remove_const_t<typename Source::value_type>;

  Source in;
  Result out;

  constexpr GivenArrays(In const& source, Out const& result) : in(as_array(source)), out(as_array(result)) {
    check_access<typename Policy::execution_space, In>();
    check_access<typename Policy::execution_space, Out>();
    check_elements<Element, typename Result::value_type>();
  }
};

/// Returns where peers find an operand, if they can.
template <class State, class T>
[[nodiscard]] Placement placement_of(State const& state, Operand<T> const& a) {
  return a.dense ? state.placement_of(a.pointer, a.count * sizeof(T)) : Placement{};
}

/// Refuses an output that is neither the input nor apart from it. Of strided arrays only a shared first element tells:
/// subviews of one matrix may lie between each other.
template <class T>
[[nodiscard]] Refusal check_overlap(Operand<T const> const& in, Operand<T> const& out) {
  if (in.count > 0 && !same_elements(in, out) &&
      (in.pointer == out.pointer ||
       (in.dense && out.dense && overlap(in.pointer, in.count * sizeof(T), out.pointer, out.count * sizeof(T))))) {
    return Refusal::invalid("`out` overlaps `in`; it may be `in` itself or apart from it");
  }
  return {};
}

/// Maps a user's reducer, or one of ours, to what the kernels take.
template <class R>
[[nodiscard]] constexpr canonical_reducer_t<R> make_reducer([[maybe_unused]] R const& reducer) {
  if constexpr (std::is_same_v<R, canonical_reducer_t<R>>) {
    return reducer;
  } else {
    return {};
  }
}

/// Builds the Call of an operation from its arguments; specialised by each.
template <class OperationTag>
struct Ask;

}  // namespace Koinon::Impl

namespace Koinon {

/// Answers whether a call with these arguments can run, or why not. Local: it looks at this rank's arguments.
template <OperationType OperationTag, class... Traits, class... Arguments>
[[nodiscard]] Answer can_run(CollectivePolicy<Traits...> const& policy, Arguments const&... arguments) {
  return Impl::ask(policy, Impl::Ask<OperationTag>::call(policy, arguments...));
}

}  // namespace Koinon
