// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_CellPart.hpp>

#include <algorithm>
#include <optional>

namespace Koinon::Testing {

namespace {

using Koinon::Algorithm;
using Koinon::Operation;
using Koinon::Transport;

/// Is where the piece from one rank to another lies in the one's `in` and in the other's `out`.
struct Moved {
  PartExtents extents;
  std::size_t in_row = 0;
  std::size_t in_column = 0;
  std::size_t out_row = 0;
  std::size_t out_column = 0;
};

/// Is what the operation of a cell means, written down from its definition.
class Meaning {
 public:
  Meaning(Cell const& cell, int ranks) : m_cell(cell), m_ranks(ranks) {}

  [[nodiscard]] PartExtents in(int rank) const {
    std::size_t const r = static_cast<std::size_t>(m_ranks);
    switch (m_cell.operation) {
      case Operation::shards_to_rows:
        return {m_cell.rows * r, m_cell.columns};
      case Operation::rows_to_shards:
        return {m_cell.rows, m_cell.columns * r};
      case Operation::all_gather_columns:
        return {m_cell.rows, width(rank)};
      default:
        return {before(m_ranks, [&](int p) { return rows(rank, p); }), m_cell.columns};
    }
  }
  [[nodiscard]] PartExtents out(int rank) const {
    std::size_t const r = static_cast<std::size_t>(m_ranks);
    switch (m_cell.operation) {
      case Operation::shards_to_rows:
        return {m_cell.rows, m_cell.columns * r};
      case Operation::rows_to_shards:
        return {m_cell.rows * r, m_cell.columns};
      case Operation::all_gather_columns:
        return {m_cell.rows, before(m_ranks, [&](int p) { return width(p); })};
      default:
        return {before(m_ranks, [&](int p) { return rows(p, rank); }), m_cell.columns};
    }
  }
  [[nodiscard]] Moved piece(int from, int to) const {
    std::size_t const q = static_cast<std::size_t>(from);
    std::size_t const p = static_cast<std::size_t>(to);
    PartExtents const even{m_cell.rows, m_cell.columns};
    switch (m_cell.operation) {
      case Operation::shards_to_rows:
        return {even, p * m_cell.rows, 0, 0, q * m_cell.columns};
      case Operation::rows_to_shards:
        return {even, 0, p * m_cell.columns, q * m_cell.rows, 0};
      case Operation::all_gather_columns:
        return {{m_cell.rows, width(from)}, 0, 0, 0, before(from, [&](int s) { return width(s); })};
      default:
        return {{rows(from, to), m_cell.columns}, before(to, [&](int s) { return rows(from, s); }), 0,
                before(from, [&](int s) { return rows(s, to); }), 0};
    }
  }

  [[nodiscard]] std::size_t rows(int from, int to) const {
    if (m_cell.counts.empty()) return m_cell.rows;
    return static_cast<std::size_t>(m_cell.counts[static_cast<std::size_t>(from * m_ranks + to)]);
  }
  [[nodiscard]] std::size_t width(int rank) const {
    return m_cell.counts.empty() ? m_cell.columns : static_cast<std::size_t>(m_cell.counts[static_cast<std::size_t>(rank)]);
  }

 private:
  template <class F>
  static std::size_t before(int end, F&& f) {
    std::size_t sum = 0;
    for (int p = 0; p < end; ++p) sum += f(p);
    return sum;
  }

  Cell const& m_cell;
  int m_ranks;
};

/// Is the lists of a cell as this rank gives them.
struct Lists {
  std::optional<Koinon::Counts> send;
  std::optional<Koinon::Counts> receive;
  std::optional<Koinon::Widths> widths;

  Lists(Cell const& cell, Meaning const& meaning, int rank, int ranks) {
    if (cell.counts.empty()) return;
    if (cell.operation == Operation::all_gather_columns) {
      widths.emplace(cell.counts);
      return;
    }
    std::vector<std::size_t> sent;
    std::vector<std::size_t> received;
    for (int p = 0; p < ranks; ++p) {
      sent.push_back(meaning.rows(rank, p));
      received.push_back(meaning.rows(p, rank));
    }
    send.emplace(sent);
    receive.emplace(received);
  }
};

std::string check_pieces(Exercise const& exercise, Meaning const& meaning, Session const& session,
                         std::vector<std::byte> const& out, std::size_t out_columns, std::uint64_t seed) {
  for (int q = 0; q < session.size(); ++q) {
    Moved const piece = meaning.piece(q, session.rank());
    std::size_t const in_columns = meaning.in(q).columns;
    for (std::size_t i = 0; i < piece.extents.rows; ++i) {
      std::size_t const at = (piece.out_row + i) * out_columns + piece.out_column;
      std::size_t const first = (piece.in_row + i) * in_columns + piece.in_column;
      std::string const fault = exercise.check(out.data() + at * exercise.element_bytes(), first, piece.extents.columns,
                                               seed, q, false);
      if (!fault.empty()) return "row " + std::to_string(piece.out_row + i) + " of `out`: " + fault;
    }
  }
  return {};
}

class ExchangePart final : public CellPart {
 public:
  ExchangePart(Session const& session, Exercise const& exercise, Cell const& cell, std::uint64_t seed)
      : CellPart(session, exercise, cell, seed, Meaning(cell, session.size()).in(session.rank()),
                 Meaning(cell, session.size()).out(session.rank())),
        m_meaning(cell, session.size()),
        m_lists(cell, m_meaning, session.rank(), session.size()) {
    ExchangePart::fill();
  }

 private:
  [[nodiscard]] Call call() const override {
    return {.operation = m_cell.operation,
            .label = "cell",
            .in = m_in.matrix(),
            .out = m_out.matrix(),
            .root = 0,
            .counts = m_lists.send ? &*m_lists.send : nullptr,
            .receive = m_lists.receive ? &*m_lists.receive : nullptr,
            .widths = m_lists.widths ? &*m_lists.widths : nullptr};
  }

  void fill() override {
    Matrix const& in = m_in.matrix();
    std::vector<std::byte> dense(in.rows * in.columns * m_exercise.element_bytes());
    m_exercise.fill(dense.data(), 0, in.rows * in.columns, m_seed, m_session.rank());
    m_in.scatter(in, dense.data());
    m_before = m_in.bytes();
  }

  [[nodiscard]] std::string check_result(std::uint64_t&) override {
    Matrix const& out = m_out.matrix();
    std::vector<std::byte> dense(out.rows * out.columns * m_exercise.element_bytes());
    m_out.gather(out, dense.data());
    return check_pieces(m_exercise, m_meaning, m_session, dense, out.columns, m_seed);
  }

  [[nodiscard]] std::string check_untouched() override {
    if (!m_in.equals(m_before)) return "`in` was written";
    m_out.wipe(m_out.matrix());
    std::string const fault = m_out.fault();
    return fault.empty() ? "" : "beside `out`: " + fault;
  }

  Meaning m_meaning;
  Lists m_lists;
  std::vector<std::byte> m_before;
};

}  // namespace

std::string expected_exchange_refusal(Session const& session, Exercise const& exercise, Cell const& cell) {
  Koinon::Impl::SegmentLayout const& layout = session.device().m_layout;
  std::size_t const bytes = exercise.element_bytes();
  std::size_t const payload = session.packet_payload();
  std::size_t const packets = layout.packet_slot_bytes / session.packet_bytes();
  bool const columns = cell.operation == Operation::all_gather_columns;
  auto const ranks = static_cast<std::size_t>(session.size());
  bool const stages = bytes <= layout.part_bytes / static_cast<std::size_t>(session.max_blocks()) / ranks;
  bool const told = cell.operation == Operation::all_to_all && !cell.counts.empty();
  std::size_t const width = columns && !cell.counts.empty()
                                ? static_cast<std::size_t>(*std::max_element(cell.counts.begin(), cell.counts.end()))
                                : cell.columns;
  std::size_t const message = cell.rows * width * bytes;
  bool const low_latency = !told && bytes <= payload && message <= packets * (payload / bytes) * bytes;

  if (cell.algorithm == Algorithm::two_shot) return "does not offer it";
  if (cell.algorithm == Algorithm::one_shot && !stages) return "an element exceeds what a block stages";
  if (cell.algorithm == Algorithm::low_latency && told) return "no rank knows whether the others' packets have room";
  if (cell.algorithm == Algorithm::low_latency && bytes > payload) return "an element is larger than a packet";
  if (cell.algorithm == Algorithm::low_latency && !low_latency) return "packets have room for";
  bool const multimem = cell.transport == Transport::multimem;
  if (multimem && !columns) return "multicast stores the same to all ranks";
  if (char const* const reason = exercise.multimem_refusal(session.policy()); multimem && reason != nullptr) return reason;
  if (multimem && cell.algorithm == Algorithm::low_latency) return "packets are stored to each peer apart";
  if (!stages && (multimem || !low_latency)) return "no algorithm and transport is left";
  return {};
}

std::unique_ptr<CellPart> make_exchange_part(Session const& session, Exercise const& exercise, Cell const& cell,
                                             std::uint64_t seed) {
  return std::make_unique<ExchangePart>(session, exercise, cell, seed);
}

}  // namespace Koinon::Testing
