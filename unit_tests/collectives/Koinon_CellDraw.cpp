// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_CellDraw.hpp>

#include <algorithm>
#include <array>

namespace Koinon::Testing {

namespace {

using Koinon::Algorithm;
using Koinon::Operation;
using Koinon::Transport;

/// Splits rows over ranks: evenly by no list, or unevenly with zeros on any rank, on all but one, or on all.
std::vector<std::int64_t> draw_counts(std::size_t rows, int ranks, Random& random) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks), 0);
  std::size_t const kind = random.below(4);
  if (kind == 0) return {};
  if (kind == 1) {
    counts[random.below(counts.size())] = static_cast<std::int64_t>(rows);  // all but one are empty
    return counts;
  }
  std::size_t left = rows;
  std::size_t const empty = kind == 2 ? random.below(counts.size()) : counts.size();
  for (std::size_t p = 0; p < counts.size(); ++p) {
    if (p == empty) continue;
    std::size_t const fair = rows / counts.size() * 2 + 1;
    std::size_t const share = std::min(left, random.below(fair + 1));
    counts[p] = static_cast<std::int64_t>(share);
    left -= share;
  }
  counts[counts.size() > 1 && empty == 0 ? 1 : 0] += static_cast<std::int64_t>(left);
  return counts;
}

/// Keeps what a rank exchanges with all within an arena; half of the pieces are those that R of them have the edge.
std::size_t elements_of_piece(Session const& session, Exercise const& exercise, std::size_t elements, Random& random) {
  auto const ranks = static_cast<std::size_t>(session.size());
  if (random.one_in(2)) elements = (elements + ranks - 1) / ranks;
  return std::min(elements, std::size_t{60000} / (ranks * exercise.element_bytes()));
}

/// Draws the columns of each rank, or the rows that each rank sends to each: some pairs exchange nothing.
void draw_lists(Cell& cell, int ranks, Random& random) {
  auto const r = static_cast<std::size_t>(ranks);
  if (random.one_in(3)) return;
  if (cell.operation == Operation::all_gather_columns) {
    for (std::size_t p = 0; p < r; ++p) cell.counts.push_back(static_cast<std::int64_t>(1 + random.below(2 * cell.columns)));
  } else if (cell.operation == Operation::all_to_all) {
    for (std::size_t pair = 0; pair < r * r; ++pair) {
      std::size_t const rows = random.one_in(3) ? 0 : random.below(2 * cell.rows + 1);
      cell.counts.push_back(static_cast<std::int64_t>(rows));
    }
  }
}

}  // namespace

std::vector<std::size_t> edge_counts(Session const& session, Exercise const& exercise) {
  Koinon::Impl::SegmentLayout const& layout = session.device().m_layout;
  std::size_t const bytes = exercise.element_bytes();
  std::size_t const packet = std::max<std::size_t>(session.packet_payload() / bytes, 1);
  std::size_t const pack = std::max<std::size_t>(128 / std::max<std::size_t>(bytes, 4), 1);
  // An element that exceeds a packet has no edge there.
  std::size_t const slot =
      bytes > session.packet_payload() ? 1 : layout.packet_slot_bytes / session.packet_bytes() * packet;
  std::size_t const round = layout.part_bytes / bytes;
  std::vector<std::size_t> counts{0, 1, 2, 7, 4 * round + pack + 1};
  for (std::size_t const edge : {packet, pack, slot, round}) counts.insert(counts.end(), {edge - 1, edge, edge + 1});
  return counts;
}

Cell draw_cell(Session const& session, Exercise const& exercise, Random& random) {
  Cell cell;
  if (exercise.exchanges()) {
    cell.operation = random.pick(std::array{Operation::all_to_all, Operation::all_to_all, Operation::shards_to_rows,
                                            Operation::rows_to_shards, Operation::all_gather_columns});
  } else if (exercise.reduces()) {
    cell.operation = random.pick(
        std::array{Operation::all_reduce, Operation::all_reduce, Operation::reduce_scatter, Operation::reduce});
  } else {
    cell.operation = random.pick(std::array{Operation::all_gather, Operation::all_gather, Operation::broadcast});
  }
  cell.algorithm = random.pick(std::array{Algorithm::automatic, Algorithm::automatic, Algorithm::low_latency,
                                          Algorithm::one_shot, Algorithm::two_shot});
  cell.transport =
      random.pick(std::array{Transport::automatic, Transport::automatic, Transport::peer_load, Transport::multimem});
  cell.blocks = static_cast<int>(random.below(static_cast<std::size_t>(session.max_blocks()) + 1));
  cell.root = static_cast<int>(random.below(static_cast<std::size_t>(session.size())));

  std::vector<std::size_t> const edges = edge_counts(session, exercise);
  std::size_t elements = edges[random.below(edges.size())];
  cell.columns = random.pick(std::array<std::size_t, 5>{1, 1, 3, 12, 16});
  bool const by_rows = cell.operation == Operation::reduce_scatter || cell.operation == Operation::all_gather;
  // Where a share is what has the edge, the whole is as many times as large; large wholes only for few ranks.
  if (by_rows && random.one_in(2) &&
      elements * static_cast<std::size_t>(session.size()) * exercise.element_bytes() < 65536) {
    elements *= static_cast<std::size_t>(session.size());
  }
  if (exercise.exchanges()) elements = elements_of_piece(session, exercise, elements, random);
  cell.rows = elements / cell.columns;
  if (exercise.exchanges()) draw_lists(cell, session.size(), random);
  if (by_rows) cell.counts = draw_counts(cell.rows, session.size(), random);

  auto const place = [&] {
    return random.pick(std::array{Place::private_memory, Place::private_memory, Place::symmetric, Place::symmetric,
                                  Place::symmetric_apart, Place::mixed, Place::private_odd, Place::symmetric_odd});
  };
  auto const layout = [&] {
    return random.pick(std::array{Layout::dense, Layout::dense, Layout::dense, Layout::subview, Layout::left});
  };
  cell.in_place = place();
  cell.out_place = place();
  cell.in_layout = layout();
  cell.out_layout = layout();
  cell.same_array = cell.operation != Operation::broadcast && !exercise.exchanges() && random.one_in(3);
  return cell;
}

}  // namespace Koinon::Testing
