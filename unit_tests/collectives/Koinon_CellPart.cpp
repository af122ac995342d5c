// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_CellPart.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace Koinon::Testing {

using Koinon::Operation;

namespace {

std::unique_ptr<CellPart> make_part(Session const& session, Exercise const& exercise, Cell const& cell,
                                    std::uint64_t seed) {
  return exercise.exchanges() ? make_exchange_part(session, exercise, cell, seed)
                              : make_row_part(session, exercise, cell, seed);
}

}  // namespace

CellPart::CellPart(Session const& session, Exercise const& exercise, Cell const& cell, std::uint64_t seed,
                   PartExtents const& in, PartExtents const& out)
    : m_session(session),
      m_exercise(exercise),
      m_cell(cell),
      m_seed(seed),
      m_in(session, session.in_arena(), cell.in_place, cell.in_layout, in.rows, in.columns, exercise.element_bytes()),
      m_out(session, session.out_arena(), cell.out_place, cell.out_layout, out.rows, out.columns,
            exercise.element_bytes()) {}
CellPart::~CellPart() = default;

void CellPart::renew(std::uint64_t seed) {
  m_seed = seed;
  m_in.reset();
  m_out.reset();
  fill();
}

void CellPart::enqueue() const {
  m_exercise.run(policy(), call());
}

Verdict CellPart::run() {
  Call const call = this->call();
  std::string const refusal = expected_refusal(m_session, m_exercise, m_cell);
  Koinon::Answer const answer = m_exercise.ask(policy(), call);
  if (static_cast<bool>(answer) != refusal.empty()) {
    return {.fault = "can_run answers `" + answer.reason() + "`, expected `" + refusal + "`", .digest = 0, .ran = false};
  }
  if (!refusal.empty()) return {.fault = check_refused(call, answer.reason(), refusal), .digest = 0, .ran = false};
  return run([this] { enqueue(); });
}

Verdict CellPart::run(std::function<void()> const& make_call) {
  m_in.upload();
  m_out.upload();
  make_call();
  m_in.download();
  m_out.download();
  Verdict verdict{.fault = {}, .digest = 0, .ran = true};
  verdict.fault = check_result(verdict.digest);
  if (verdict.fault.empty()) verdict.fault = check_untouched();
  return verdict;
}

AnyPolicy CellPart::policy() const {
  return m_session.with({.algorithm = m_cell.algorithm, .transport = m_cell.transport, .blocks = m_cell.blocks});
}

std::string CellPart::check_refused(Call const& call, std::string const& reason, std::string const& refusal) const {
  if (reason.find(refusal) == std::string::npos) return "can_run answers `" + reason + "`, not `" + refusal + "`";
  try {
    m_exercise.run(policy(), call);
  } catch (Koinon::UnsupportedError const& e) {
    std::string const text = e.what();
    std::string const name(to_string(m_cell.operation));
    std::string const begin = "Koinon::" + name + " [cell]: rank " + std::to_string(m_session.rank()) + ": ";
    bool const named = text.starts_with(begin) && text.find(refusal) != std::string::npos;
    return named ? "" : "the refusal reads `" + text + "`";
  }
  return "the call ran, refusal expected: " + refusal;
}

Verdict run_cell(Session const& session, Exercise const& exercise, Cell const& cell, std::uint64_t seed) {
  return make_part(session, exercise, cell, seed)->run();
}

RecordedCell::RecordedCell(Session const& session, Exercise const& exercise, Cell const& cell)
    : m_part(make_part(session, exercise, cell, 0)),
      m_recording(session.memory()->record([this] { m_part->enqueue(); })) {}
RecordedCell::~RecordedCell() = default;

Verdict RecordedCell::run(std::uint64_t seed) {
  m_part->renew(seed);
  return m_part->run([&] { m_recording->replay(); });
}

void expect_cell(Session const& session, Exercise const& exercise, Cell const& cell, std::uint64_t seed) {
  Verdict const verdict = run_cell(session, exercise, cell, seed);
  if (!verdict.fault.empty()) {
    ADD_FAILURE() << exercise.name() << ", " << cell.text() << ", rank " << session.rank() << " of " << session.size()
                  << ": " << verdict.fault;
  }
  if (cell.operation == Operation::reduce_scatter || cell.operation == Operation::reduce) return;
  std::vector<std::uint64_t> digests(static_cast<std::size_t>(session.size()));
  session.bootstrap().all_gather(std::as_bytes(std::span(&verdict.digest, 1)),
                                 std::as_writable_bytes(std::span(digests)));
  if (std::adjacent_find(digests.begin(), digests.end(), std::not_equal_to<>()) != digests.end()) {
    ADD_FAILURE() << exercise.name() << ", " << cell.text() << ": the ranks' results differ";
  }
}

std::string Cell::text() const {
  static constexpr char const* places[] = {"private", "symmetric",   "symmetric_apart",
                                           "mixed",   "private_odd", "symmetric_odd"};
  static constexpr char const* layouts[] = {"dense", "subview", "left"};
  std::string text = std::string(to_string(operation)) + " " + std::string(to_string(algorithm)) + " " +
                     std::string(to_string(transport)) + " [" + std::to_string(rows) + ", " + std::to_string(columns) +
                     "]";
  if (blocks > 0) text += " on " + std::to_string(blocks) + " blocks";
  if (!counts.empty()) text += " counts";
  for (std::int64_t const count : counts) text += " " + std::to_string(count);
  text += std::string(", in ") + places[static_cast<int>(in_place)] + " " + layouts[static_cast<int>(in_layout)];
  text += same_array ? std::string(", in place")
                     : std::string(", out ") + places[static_cast<int>(out_place)] + " " +
                           layouts[static_cast<int>(out_layout)];
  return text + ", root " + std::to_string(root);
}

}  // namespace Koinon::Testing
