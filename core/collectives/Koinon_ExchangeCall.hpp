// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_Call.hpp>
#include <collectives/Koinon_ExchangeShapes.hpp>
#include <collectives/Koinon_LaunchExchange.hpp>
#include <collectives/Koinon_Rows.hpp>

#include <string>

namespace Koinon::Impl {

/// Is where a call's result lies: with the caller, or lent in a workspace, at one place on all ranks.
enum class Result : std::uint32_t { callers, lent };

/// Is the Call of every exchange; Shape says which (Koinon_ExchangeShapes.hpp).
template <class State, class T, class Shape>
struct ExchangeCall {
  static constexpr Operation operation = Shape::operation;
  using Backend = typename State::Backend;

  ExchangeArguments<T> a;
  Shape shape;
  Result result;

  [[nodiscard]] Refusal check(State& state) const {
    if (Refusal refusal = shape.check(state.rank(), state.size())) return refusal;
    if (!is_usable(state, a.in)) [[unlikely]] return refuse_array(state, "in", a.in);
    if (!is_usable(state, a.out)) [[unlikely]] return refuse_array(state, "out", a.out);
    if (a.in.count > 0 && a.out.count > 0 &&
        (a.in.pointer == a.out.pointer || (a.in.dense && a.out.dense && overlap(a.in.pointer, a.in.count * sizeof(T),
                                                                                a.out.pointer, a.out.count * sizeof(T))))) {
      return Refusal::invalid("`out` overlaps `in`; it must be apart from it");
    }
    return {};
  }

  [[nodiscard]] SelectionKey key(State const& state) const {
    Common const common = shape.common(state.size());
    std::uint32_t const form = static_cast<std::uint32_t>(result) * 2 + (common.known ? 0 : 1);
    return {.call = call_id<T>(operation, 0) * 4 + form, .elements = common.longest(), .rows = common.piece_rows};
  }

  void describe(State& state, Facts& facts) const {
    Common const common = shape.common(state.size());
    describe_elements<Backend, T>(state.device(), facts, common.longest(), state.size());
    facts.work = {.elements = static_cast<std::int64_t>(common.longest()),
                  .rows = static_cast<std::int64_t>(common.piece_rows),
                  .row_elements = static_cast<std::int64_t>(common.piece_columns),
                  .pieces = state.size()};
    if (!common.known) {
      facts.work = {.elements = most_elements};  // as many blocks as there may be
      facts.algorithms.refuse(Algorithm::low_latency, "with counts no rank knows whether the others' packets have room");
    }
    if constexpr (Shape::one_piece) {
      describe_multimem_moves<Backend>(facts);
    } else {
      facts.transports.refuse(Transport::multimem, "multicast stores the same to all ranks, this operation does not");
    }
    facts.entry_barrier_can_be_skipped = result == Result::lent;
  }

  [[nodiscard]] std::string text(Selection const& selection) const {
    // With counts, the elements of a row are what all ranks know.
    std::size_t const elements = shape.common(1).known ? a.out.count : shape.in.columns;
    return call_text(to_string(operation), element_name<T>(), "", elements, selection) + shape.text() +
           (selection.skip_entry_barrier ? ", no entry barrier" : "");
  }

  template <Selector S>
  void launch(State& state, typename Backend::Instance const& instance, Selection const& selection) {
    shape.cut(state.size(), state.offsets_room(), a.sent, a.received);
    a.tells_places = a.sent.shares.given && a.sent.cut == Cut::rows;
    // A rank that sends (receives) nothing hinders nobody's symmetric array.
    a.source = a.in.count == 0 ? Placement::absent() : placement_of(state, a.in);
    a.destination = a.out.count == 0 ? Placement::absent() : placement_of(state, a.out);
    if (a.tells_places && a.source.symmetric() && !begin_at_units(a.sent, state.size())) a.source = {};
    if (a.tells_places && a.destination.symmetric() && !begin_at_units(a.received, state.size())) a.destination = {};
    a.skips_entry = selection.skip_entry_barrier && a.destination.symmetric();
    using Block = typename Backend::Block;
    // Staged is one piece for all, or one of each peer; who stores to all has room for each rank.
    bool const pulls = selection.transport == Transport::peer_load;
    bool const staged_once = Shape::one_piece && pulls && !Block::prefers_stores;
    int const pieces = staged_once || state.size() == 1 ? 1 : state.size() - (pulls ? 1 : 0);
    a.round_elements = round_elements_of<T, Block>(state, selection.blocks, pieces);
    launch_exchange<Backend, T, S>(instance, state.device(), selection, a);
  }

 private:
  static constexpr std::int64_t most_elements = std::int64_t{1} << 40;

  /// Says whether every piece begins where an entry word can say it.
  static bool begin_at_units(PieceSide const& side, int ranks) {
    for (int p = 0; p < ranks; ++p) {
      Piece const piece = side.of(p);
      if (piece.count > 0 && piece.begin * sizeof(T) % 16 != 0) return false;
    }
    return true;
  }
};

/// Makes the call of an exchange from its arrays; lists outlive it.
template <class Shape, class Policy, class In, class Out, class... Lists>
[[nodiscard]] auto call_exchange(Policy const&, Result result, In const& in, Out const& out, Lists const*... lists) {
  GivenArrays<Policy, In, Out> const given(in, out);
  using M = moved_element_t<typename decltype(given)::Element>;
  auto const extents = [](auto const& array) { return Extents{rows_of(array), row_elements_of(array)}; };
  return ExchangeCall<state_of<Policy>, M, Shape>{{operand_as<M const>(given.in), operand_as<M>(given.out)},
                                                  Shape{extents(given.in), extents(given.out), lists...},
                                                  result};
}

}  // namespace Koinon::Impl
