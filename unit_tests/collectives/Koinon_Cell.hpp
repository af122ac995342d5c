// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_Exercise.hpp>
#include <collectives/Koinon_Session.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace Koinon::Testing {

enum class Place { private_memory, symmetric, symmetric_apart, mixed, private_odd, symmetric_odd };
enum class Layout { dense, subview, left };

/// Is one point of the matrix: everything that a call has but its exercise and its seed.
struct Cell {
  Koinon::Operation operation = Koinon::Operation::all_reduce;
  Koinon::Algorithm algorithm = Koinon::Algorithm::automatic;
  Koinon::Transport transport = Koinon::Transport::automatic;
  int blocks = 0;
  std::size_t rows = 0;  // of all ranks; of an exchange: of a piece, where its counts do not say it
  std::size_t columns = 1;
  std::vector<std::int64_t> counts;  // rows of each rank, all_gather_columns: columns; all_to_all: of each pair; empty: even
  Place in_place = Place::private_memory;
  Place out_place = Place::private_memory;
  Layout in_layout = Layout::dense;
  Layout out_layout = Layout::dense;
  bool same_array = false;  // in place
  int root = 0;

  [[nodiscard]] std::string text() const;
};

/// Is what a rank found out about a cell.
struct Verdict {
  std::string fault;         // empty: none
  std::uint64_t digest = 0;  // of a result that all ranks have alike; 0: of none
  bool ran = false;
};

/// Runs one cell on this rank: places and fills the arrays, asks can_run, calls, and checks the answer against what the
/// cell allows, every element against the oracle, that `in` is as it was, and that no byte beside `out` was touched.
/// Every rank calls with the same arguments.
Verdict run_cell(Session const& session, Exercise const& exercise, Cell const& cell, std::uint64_t seed);

/// Runs a cell and adds a failure for every fault; also when the ranks' results differ in a bit.
void expect_cell(Session const& session, Exercise const& exercise, Cell const& cell, std::uint64_t seed);

class CellPart;

/// Is the call of a cell that was recorded once, with its arrays; every run has inputs of its own.
class RecordedCell {
 public:
  /// Does not run it. @pre the session's memory can record, and the call is not refused; no kernel waits for a peer, here
  /// and at the end. The other arguments must outlive this.
  RecordedCell(Session const& session, Exercise const& exercise, Cell const& cell);
  ~RecordedCell();
  /// Does once what run_cell does.
  Verdict run(std::uint64_t seed);

 private:
  std::unique_ptr<CellPart> m_part;
  std::unique_ptr<Recording const> m_recording;
};

/// Says why the call of a cell must be refused; empty: it must run.
std::string expected_refusal(Session const& session, Exercise const& exercise, Cell const& cell);
std::string expected_exchange_refusal(Session const& session, Exercise const& exercise, Cell const& cell);

}  // namespace Koinon::Testing
