// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_CellPart.hpp>

#include <algorithm>
#include <cstring>
#include <optional>

namespace Koinon::Testing {

namespace {

using Koinon::Algorithm;
using Koinon::Operation;
using Koinon::Transport;

/// Is who has which rows, for operations by rows.
struct Rows {
  std::size_t offset = 0;
  std::size_t mine = 0;
  std::size_t longest = 0;
};

Rows rows_of(Cell const& cell, int rank, int ranks) {
  Rows rows;
  std::size_t total = 0;
  for (int p = 0; p < ranks; ++p) {
    std::size_t const r = static_cast<std::size_t>(ranks);
    std::size_t const count = cell.counts.empty()
                                  ? cell.rows / r + (static_cast<std::size_t>(p) < cell.rows % r ? 1 : 0)
                                  : static_cast<std::size_t>(cell.counts[static_cast<std::size_t>(p)]);
    if (p == rank) rows.offset = total;
    if (p == rank) rows.mine = count;
    rows.longest = std::max(rows.longest, count);
    total += count;
  }
  return rows;
}

bool by_rows(Operation operation) {
  return operation == Operation::reduce_scatter || operation == Operation::all_gather;
}

std::uint64_t digest_of(std::vector<std::byte> const& bytes) {
  std::uint64_t digest = bytes.size() + 1;
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<std::size_t>(8, bytes.size() - i));
    digest = (digest ^ word) * 0x9E3779B97F4A7C15ull;
    digest ^= digest >> 29;
  }
  return digest;
}

bool is_root(Session const& session, Cell const& cell) {
  return session.rank() == cell.root;
}

PartExtents extents_of_in(Session const& session, Cell const& cell) {
  if (cell.operation == Operation::broadcast) return {0, cell.columns};
  bool const gathers = cell.operation == Operation::all_gather;
  return {gathers ? rows_of(cell, session.rank(), session.size()).mine : cell.rows, cell.columns};
}
PartExtents extents_of_out(Session const& session, Cell const& cell, std::uint64_t seed) {
  // Elsewhere than on the root a reduce's output may be empty, or any memory, which stays as it is.
  bool const empty = cell.operation == Operation::reduce && !is_root(session, cell) && seed % 2 == 0;
  if (empty) return {0, cell.columns};
  bool const scatters = cell.operation == Operation::reduce_scatter;
  return {scatters ? rows_of(cell, session.rank(), session.size()).mine : cell.rows, cell.columns};
}

class RowPart final : public CellPart {
 public:
  RowPart(Session const& session, Exercise const& exercise, Cell const& cell, std::uint64_t seed)
      : CellPart(session, exercise, cell, seed, extents_of_in(session, cell), extents_of_out(session, cell, seed)),
        m_rows(rows_of(cell, session.rank(), session.size())) {
    if (!cell.counts.empty()) m_counts.emplace(cell.counts);
    place();
    RowPart::fill();
  }

 private:
  [[nodiscard]] Call call() const override {
    return {.operation = m_cell.operation,
            .label = "cell",
            .in = m_call_in,
            .out = m_call_out,
            .root = m_cell.root,
            .counts = m_counts ? &*m_counts : nullptr};
  }
  /// Return which of the two holds the call's input (of a broadcast: its array), and its output.
  [[nodiscard]] PlacedMatrix const& holder_of_input() const {
    bool const out = m_cell.operation == Operation::broadcast ||
                     (m_cell.operation == Operation::all_gather && m_cell.same_array);
    return out ? m_out : m_in;
  }
  [[nodiscard]] PlacedMatrix const& holder_of_output() const {
    bool const in = m_cell.same_array && (m_cell.operation == Operation::all_reduce ||
                                          m_cell.operation == Operation::reduce_scatter ||
                                          (m_cell.operation == Operation::reduce && is_root()));
    return in ? m_in : m_out;
  }
  [[nodiscard]] bool is_root() const { return Testing::is_root(m_session, m_cell); }

  void place() {
    m_call_in = m_in.matrix();
    m_call_out = m_out.matrix();
    if (!m_cell.same_array) return;
    if (m_cell.operation == Operation::all_reduce || (m_cell.operation == Operation::reduce && is_root()))
      m_call_out = m_call_in;
    if (m_cell.operation == Operation::reduce_scatter) m_call_out = m_in.rows(m_rows.offset, m_rows.mine);
    if (m_cell.operation == Operation::all_gather) m_call_in = m_out.rows(m_rows.offset, m_rows.mine);
  }

  void fill() override {
    bool const broadcast = m_cell.operation == Operation::broadcast;
    Matrix const& to = broadcast ? m_call_out : m_call_in;
    std::vector<std::byte> dense(to.rows * to.columns * m_exercise.element_bytes());
    // What the array of a broadcast holds elsewhere than on the root is nobody's input.
    std::uint64_t const seed = broadcast && !is_root() ? ~m_seed : m_seed;
    m_exercise.fill(dense.data(), 0, to.rows * to.columns, seed, m_session.rank());
    holder_of_input().scatter(to, dense.data());
    if (!broadcast) m_before = (m_cell.operation == Operation::all_gather && m_cell.same_array ? m_out : m_in).bytes();
  }

  std::string check_result(std::uint64_t& digest) override {
    bool const has_result = m_cell.operation != Operation::reduce || is_root();
    if (!has_result) return {};
    std::vector<std::byte> dense(m_call_out.rows * m_call_out.columns * m_exercise.element_bytes());
    holder_of_output().gather(m_call_out, dense.data());
    std::size_t const columns = m_cell.columns;
    bool const alike = m_cell.operation != Operation::reduce_scatter && m_cell.operation != Operation::reduce;
    if (alike) digest = digest_of(dense);
    if (m_exercise.reduces()) {
      std::size_t const first = m_cell.operation == Operation::reduce_scatter ? m_rows.offset * columns : 0;
      return m_exercise.check(dense.data(), first, m_call_out.rows * columns, m_seed, m_session.size(),
                              m_cell.transport == Transport::multimem);
    }
    if (m_cell.operation == Operation::broadcast) {
      return m_exercise.check(dense.data(), 0, m_cell.rows * columns, m_seed, m_cell.root, false);
    }
    for (int p = 0; p < m_session.size(); ++p) {
      Rows const share = rows_of(m_cell, p, m_session.size());
      std::byte const* const begin = dense.data() + share.offset * columns * m_exercise.element_bytes();
      std::string fault = m_exercise.check(begin, 0, share.mine * columns, m_seed, p, false);
      if (!fault.empty()) return fault;
    }
    return {};
  }

  std::string check_untouched() override {
    bool const has_result = m_cell.operation != Operation::reduce || is_root();
    if (has_result) holder_of_output().wipe(m_call_out);
    bool const reduce_scatter_in_place = m_cell.operation == Operation::reduce_scatter && m_cell.same_array;
    bool const in_is_out = m_cell.same_array && !reduce_scatter_in_place && has_result;
    if (reduce_scatter_in_place) {
      // Rows of others are input and stay.
      std::vector<std::byte> own(m_call_out.rows * m_call_out.columns * m_exercise.element_bytes());
      m_exercise.fill(own.data(), m_rows.offset * m_cell.columns, m_call_out.rows * m_call_out.columns, m_seed,
                      m_session.rank());
      m_in.scatter(m_call_out, own.data());
    }
    if (m_cell.operation != Operation::broadcast && !in_is_out && !m_in.equals(m_before)) return "`in` was written";
    if (m_cell.operation == Operation::all_reduce && m_cell.same_array) {
      if (std::string fault = m_in.fault(); !fault.empty()) return "beside `in`: " + fault;
    }
    std::string const fault = m_out.fault();
    return fault.empty() ? "" : "beside `out`: " + fault;
  }

  Rows m_rows;
  Matrix m_call_in;
  Matrix m_call_out;
  std::optional<Koinon::Counts> m_counts;
  std::vector<std::byte> m_before;
};

}  // namespace

std::string expected_refusal(Session const& session, Exercise const& exercise, Cell const& cell) {
  if (exercise.exchanges()) return expected_exchange_refusal(session, exercise, cell);
  Koinon::Impl::SegmentLayout const& layout = session.device().m_layout;
  std::size_t const bytes = exercise.element_bytes();
  std::size_t const payload = session.packet_payload();
  std::size_t const packets = layout.packet_slot_bytes / session.packet_bytes();
  std::size_t const shares = cell.operation == Operation::all_reduce ? 1u : static_cast<std::size_t>(session.size());
  bool const stages = bytes <= layout.part_bytes / static_cast<std::size_t>(session.max_blocks()) / shares;
  std::size_t const message =
      (by_rows(cell.operation) ? rows_of(cell, 0, session.size()).longest : cell.rows) * cell.columns * bytes;
  // Of more than two ranks each reduces a chunk of an all_reduce, and as much room is for the results.
  bool const chunked = cell.operation == Operation::all_reduce && session.size() > 2;
  std::size_t const sentinels =
      !exercise.sends_sentinels() ? 0
      : chunked                   ? layout.sentinel_slot_bytes / 2 * static_cast<std::size_t>(session.size())
                                  : layout.sentinel_slot_bytes;
  bool const low_latency =
      bytes <= payload && message <= std::max(packets * (payload / bytes) * bytes, sentinels);
  bool const multimem = cell.transport == Transport::multimem;

  if (cell.algorithm == Algorithm::two_shot && cell.operation != Operation::all_reduce) return "does not offer it";
  if (cell.algorithm == Algorithm::one_shot && !stages) return "an element exceeds what a block stages";
  std::size_t const pieces = static_cast<std::size_t>(session.max_blocks() * session.two_shot_pieces());
  if (cell.algorithm == Algorithm::two_shot && (!stages || bytes > layout.part_bytes / pieces)) return "two_shot";
  if (cell.algorithm == Algorithm::low_latency && bytes > payload) return "an element is larger than a packet";
  if (cell.algorithm == Algorithm::low_latency && !low_latency) return "packets have room for";
  if (char const* const reason = exercise.multimem_refusal(session.policy()); multimem && reason != nullptr) return reason;
  if (multimem && cell.algorithm == Algorithm::low_latency) return "packets are stored to each peer apart";
  if (cell.algorithm == Algorithm::automatic && !stages && (multimem || !low_latency))
    return "no algorithm and transport is left";
  return {};
}

std::unique_ptr<CellPart> make_row_part(Session const& session, Exercise const& exercise, Cell const& cell,
                                        std::uint64_t seed) {
  return std::make_unique<RowPart>(session, exercise, cell, seed);
}

}  // namespace Koinon::Testing
