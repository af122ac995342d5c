// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_Call.hpp>
#include <collectives/Koinon_RowBodies.hpp>
#include <collectives/Koinon_RowTwoShot.hpp>
#include <collectives/Koinon_Rows.hpp>
#include <epilogues/Koinon_RowEpilogue.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace Koinon::Impl {

/// Says whether neighbouring elements of a row are neighbours in memory.
template <class T, int Rank>
[[nodiscard]] constexpr bool has_dense_rows(Array<T, Rank> const& a) {
  std::ptrdiff_t stride = 1;
  for (int d = Rank - 1; d > 0; --d) {
    if (a.extents[d] != 1 && a.strides[d] != stride) return false;
    stride *= static_cast<std::ptrdiff_t>(a.extents[d]);
  }
  return true;
}

/// Says how a launch divides a part of the staging: each block has room for a row in float, then what it stages of each
/// share, then, of the rows of each share, records of their results.
struct RowAreas {
  std::size_t columns;
  std::size_t element_bytes;
  std::size_t shares;
  std::size_t record_bytes = 0;

  static constexpr std::size_t line = 64;
  [[nodiscard]] std::size_t room_bytes() const { return (columns * sizeof(float) + line - 1) / line * line; }
  [[nodiscard]] std::size_t row_bytes() const { return shares * (columns * element_bytes + record_bytes); }
  /// Returns the most blocks that have room for a row of each share.
  [[nodiscard]] int most_blocks(std::size_t part_bytes) const {
    std::size_t const most = part_bytes / (room_bytes() + row_bytes() + 2 * line);
    return static_cast<int>(most < 4096 ? most : 4096);
  }
  [[nodiscard]] static std::size_t block_bytes(std::size_t part_bytes, int blocks) {
    return part_bytes / static_cast<std::size_t>(blocks) / line * line;
  }
  /// Returns the rows of a share that a block stages in a round. @pre blocks <= most_blocks(part_bytes)
  [[nodiscard]] std::size_t round_rows(std::size_t part_bytes, int blocks, std::size_t round_bytes) const {
    if (row_bytes() == 0) return 1;
    std::size_t const fit = (block_bytes(part_bytes, blocks) - room_bytes() - line) / row_bytes();
    std::size_t const wanted = round_bytes / static_cast<std::size_t>(blocks) / row_bytes();
    return wanted < 1 ? 1 : wanted < fit ? wanted : fit;
  }
  /// Returns where a block's records begin.
  [[nodiscard]] std::size_t records_at(std::size_t round_rows) const {
    return room_bytes() + (shares * round_rows * columns * element_bytes + line - 1) / line * line;
  }
};

/// Is a reduction whose rows are given to an epilogue: an all_reduce, or a reduce_scatter.
template <class State, class T, class R, class E, Operation Which>
struct RowCall {
  static constexpr Operation operation = Which;
  static constexpr bool every_row = Which == Operation::all_reduce;
  using Backend = typename State::Backend;
  using Block = typename Backend::Block;
  using Traits = EpilogueTraits<E>;

  Operand<T const> in;
  std::size_t rows;
  std::size_t columns;
  std::ptrdiff_t pitch;  // from one row to the next
  std::size_t in_span_bytes;
  bool dense_rows;
  ReducerTraits<R, T> reducer;
  E epilogue;
  RowCounts counts;

  [[nodiscard]] Refusal check(State& state) const {
    if (!every_row) {
      if (Refusal refusal = counts.check(state.size(), rows, "in")) return refusal;
    }
    if (!is_usable(state, in)) [[unlikely]] return refuse_array(state, "in", in);
    if (!dense_rows || pitch < 0) return refuse_strided_rows("in");
    return Traits::check(state, epilogue, shape(state));
  }

  [[nodiscard]] SelectionKey key(State const& state) const {
    std::uint64_t const most = every_row ? 0 : counts.key(state.size(), rows);
    // Records select too: those of more outputs may leave two_shot no room.
    std::uint64_t const records = every_row ? record_bytes_of(Traits::functor(epilogue, {}), columns) : 0;
    std::uint64_t const extents = (columns * 0x9E3779B97F4A7C15ull + most) * 0xC2B2AE3D27D4EB4Full;
    std::uint64_t const mixed = (extents + records) * 0x9E3779B97F4A7C15ull + Traits::key(epilogue);
    return {.call = call_id<T>(operation, reducer_id<R>() + 77u), .elements = in.count, .rows = mixed};
  }

  void describe(State& state, Facts& facts) const {
    std::size_t const longest = every_row ? rows : counts.most(state.size(), rows);
    describe_elements<Backend, T>(state.device(), facts, longest * columns, 1);
    facts.work.elements = static_cast<std::int64_t>(longest * columns);
    if constexpr (Block::row_registers > 0) {  // a row that does not fit them takes several times as long
      std::int64_t const least = next_power_of_two(divide_up(static_cast<std::int64_t>(columns), Block::row_registers));
      facts.least_block_threads = static_cast<std::int32_t>(least < facts.max_block_threads ? least : facts.max_block_threads);
    }
    describe_multimem<Backend, T, R>(facts);
    SegmentLayout const& layout = state.device().m_layout;
    int const most = areas(state, Algorithm::one_shot).most_blocks(layout.part_bytes);
    if (most > 0) {
      facts.max_blocks = smallest(facts.max_blocks, most);
    } else {
      facts.algorithms.refuse(Algorithm::one_shot, no_room);
    }
    if (every_row) {
      if (areas(state, Algorithm::two_shot).most_blocks(layout.part_bytes) > 0) {
        facts.algorithms.allow(Algorithm::two_shot);
      } else {
        facts.algorithms.refuse(Algorithm::two_shot, no_room);
      }
    }
    if (Traits::max_blocks(epilogue) > 0) facts.max_blocks = smallest(facts.max_blocks, Traits::max_blocks(epilogue));
    describe_packets(layout, facts);
    if (every_row && Traits::needs_owner(epilogue)) {
      constexpr char const* reason = "only the owner of a row has its residual (residual_rows)";
      facts.algorithms.refuse(Algorithm::one_shot, reason);
      facts.algorithms.refuse(Algorithm::low_latency, reason);
    }
  }

  [[nodiscard]] std::string text(Selection const& selection) const {
    std::string const rows_text = ", rows of " + std::to_string(columns) + Traits::text(epilogue);
    return call_text(to_string(operation), element_name<T>(), reducer_name<R>(), in.count, selection) + rows_text +
           (every_row ? "" : counts.text());
  }

  template <Selector S>
  void launch(State& state, typename Backend::Instance const& instance, Selection const& selection) {
    using F = typename Traits::Functor;
    RowShape const what = shape(state);
    bool const two_shot = selection.algorithm == Algorithm::two_shot;
    Selection chosen = selection;
    RowAreas const room = areas(state, selection.algorithm);
    std::size_t const part_bytes = state.device().m_layout.part_bytes;
    if (int const most = room.most_blocks(part_bytes); two_shot && most < chosen.blocks) chosen.blocks = most;
    RowArguments<T, R, F> a{.in = in, .columns = columns, .reducer = reducer, .epilogue = Traits::functor(epilogue, what)};
    a.every_row = every_row && !two_shot;
    std::size_t const visited = columns == 0 ? 0 : rows;  // rows of no columns are given to nobody
    a.shares.divide_evenly(visited, 1, a.every_row ? 1 : state.size());
    if (!every_row && counts.given != nullptr && columns > 0) {
      a.shares.give(counts.given->values(), state.offsets_room());
    }
    // Peers still read a symmetric `in` when the epilogue writes its rows; staged, only this rank does. And nothing orders
    // a row's reads by multicast before the epilogue's writes by this rank's own address.
    bool const shares_rows = a.every_row || chosen.transport == Transport::multimem;
    bool const staged = shares_rows && Traits::writes_input(epilogue, what);
    a.source = staged ? Placement{} : placement_of(state, in);
    a.round_rows = selection.algorithm == Algorithm::low_latency
                       ? 1
                       : room.round_rows(part_bytes, chosen.blocks, state.round_bytes());
    a.room_bytes = room.room_bytes();
    a.block_bytes = RowAreas::block_bytes(part_bytes, chosen.blocks);
    a.records_at = room.records_at(a.round_rows);
    a.record_bytes = room.record_bytes;
    if constexpr (may_use(S, Algorithm::low_latency, Transport::peer_load) && packet_elements<T, Block> > 0) {
      if (chosen.algorithm == Algorithm::low_latency) {
        return Backend::template launch<LowLatencyRows<T, R, F>>(instance, state.device(), chosen, a);
      }
    }
    auto const pull = [&]<Transport Asked, template <class, class> class Through>() {
      if constexpr (every_row && may_use(S, Algorithm::two_shot, Asked)) {
        if (two_shot) {
          return Backend::template launch<TwoShotRows<T, R, F, Through>>(instance, state.device(), chosen, a);
        }
      }
      if constexpr (may_use(S, Algorithm::one_shot, Asked)) {
        Backend::template launch<OneShotRows<T, R, F, Through>>(instance, state.device(), chosen, a);
      }
    };
    if constexpr (S.transport != Transport::peer_load && Backend::template multimem_refusal<T, R> == nullptr) {
      if (chosen.transport == Transport::multimem) {
        return pull.template operator()<Transport::multimem, MultimemTransport>();
      }
    }
    if constexpr (S.transport != Transport::multimem) {
      pull.template operator()<Transport::peer_load, PeerLoadTransport>();
    }
  }

 private:
  static constexpr char const* no_room =
      "a row of every rank exceeds what a block stages (CommunicatorOptions::staging_bytes)";

  [[nodiscard]] RowAreas areas(State const& state, Algorithm algorithm) const {
    if (algorithm == Algorithm::low_latency) return {columns, 0, 1};
    bool const one_share = every_row && algorithm == Algorithm::one_shot;
    std::size_t const shares = one_share ? 1 : static_cast<std::size_t>(state.size());
    bool const records = algorithm == Algorithm::two_shot;
    return {columns, sizeof(T), shares, records ? record_bytes_of(Traits::functor(epilogue, {}), columns) : 0};
  }
  static std::int32_t smallest(std::int32_t a, int b) { return a < b ? a : b; }

  [[nodiscard]] RowShape shape(State const& state) const {
    int const rank = state.rank();
    RowShape shape;
    shape.columns = columns;
    shape.in = in.pointer;
    shape.in_bytes = in_span_bytes;
    shape.in_element_bytes = sizeof(T);
    shape.in_pitch = pitch;
    if (every_row) {
      auto const even = even_partition(static_cast<std::int64_t>(rows), state.size());
      shape.rows = rows;
      shape.own_begin = static_cast<std::size_t>(even.offset(rank));
      shape.own_rows = static_cast<std::size_t>(even.count(rank));
    } else {
      std::size_t before = 0;
      for (int p = 0; p < rank; ++p) before += counts.of(p, state.size(), rows);
      shape.rows = shape.own_rows = counts.of(rank, state.size(), rows);
      shape.in_begin_bytes = before * static_cast<std::size_t>(pitch) * sizeof(T);
    }
    return shape;
  }

  /// A row begins with a packet of its own.
  void describe_packets(SegmentLayout const& layout, Facts& facts) const {
    if (!facts.algorithms.allows(Algorithm::low_latency)) return;
    std::size_t const packets = layout.packet_slot_bytes / sizeof(typename Block::Packet);
    std::size_t const row_packets = divided_up(columns, static_cast<std::size_t>(packet_elements<T, Block>));
    std::size_t const fit = row_packets == 0 ? 0 : packets / row_packets;
    facts.low_latency_max_bytes = static_cast<std::int64_t>(fit * columns * sizeof(T));
    if (layout.part_bytes / 64 * 64 < columns * sizeof(float) + 64) {
      facts.algorithms.refuse(Algorithm::low_latency,
                              "a row in float exceeds what a block stages (CommunicatorOptions::staging_bytes)");
    }
  }
};

template <Operation Which, class Policy, class In, class R, class E>
[[nodiscard]] auto call_rows(Policy const&, In const& in, R const& reducer, E const& epilogue, Counts const* counts) {
  auto const given = as_array(in);
  using Given = std::remove_const_t<decltype(given)>;
  using Element = std::remove_const_t<typename Given::value_type>;
  using C = reduced_element_t<Element, R>;
  using Reducer = canonical_reducer_t<R>;
  using State = state_of<Policy>;
  check_access<typename Policy::execution_space, In>();
  static_assert(Given::rank > 0, "Koinon: an epilogue takes rows: `in` has one dimension at least");
  check_rows<C, typename ReducerTraits<Reducer, C>::accumulator>();
  check_epilogue<typename State::Backend::Block, typename EpilogueTraits<E>::Functor>();
  if constexpr (requires { EpilogueTraits<E>::template check_types<typename Policy::execution_space>(); }) {
    EpilogueTraits<E>::template check_types<typename Policy::execution_space>();
  }
  std::size_t const rows = rows_of(given);
  std::size_t const columns = row_elements_of(given);
  std::ptrdiff_t const pitch = given.strides[0];
  std::size_t const span = rows == 0 ? 0 : ((rows - 1) * static_cast<std::size_t>(pitch) + columns) * sizeof(C);
  return RowCall<State, C, Reducer, E, Which>{operand_as<C const>(given), rows, columns, pitch, span, has_dense_rows(given),
                                              ReducerTraits<Reducer, C>(make_reducer(reducer)), epilogue, RowCounts{counts}};
}

}  // namespace Koinon::Impl
