// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_Cell.hpp>
#include <collectives/Koinon_Placement.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace Koinon::Testing {

struct PartExtents {
  std::size_t rows = 0;
  std::size_t columns = 0;
};

/// Is one rank's part in a cell, step by step. The arguments must outlive it.
class CellPart {
 public:
  CellPart(Session const& session, Exercise const& exercise, Cell const& cell, std::uint64_t seed,
           PartExtents const& in, PartExtents const& out);
  CellPart(CellPart const&) = delete;
  CellPart& operator=(CellPart const&) = delete;
  virtual ~CellPart();

  /// Gives the arrays other inputs; where they lie stays.
  void renew(std::uint64_t seed);
  /// Asks can_run, calls and checks; or checks the refusal.
  Verdict run();
  /// Runs what makes the call, and checks.
  Verdict run(std::function<void()> const& make_call);
  /// Makes the call: nothing else is done.
  void enqueue() const;

 protected:
  [[nodiscard]] virtual Call call() const = 0;
  /// Writes the inputs, which the arrays do not hold yet.
  virtual void fill() = 0;
  [[nodiscard]] virtual std::string check_result(std::uint64_t& digest) = 0;
  [[nodiscard]] virtual std::string check_untouched() = 0;

  Session const& m_session;
  Exercise const& m_exercise;
  Cell const& m_cell;
  std::uint64_t m_seed;
  PlacedMatrix m_in;
  PlacedMatrix m_out;

 private:
  [[nodiscard]] AnyPolicy policy() const;
  [[nodiscard]] std::string check_refused(Call const& call, std::string const& reason, std::string const& refusal) const;
};

/// Makes the part in an operation whose arrays are all ranks' rows, or a rank's.
std::unique_ptr<CellPart> make_row_part(Session const& session, Exercise const& exercise, Cell const& cell,
                                        std::uint64_t seed);
/// Does so where each rank gets a piece of each: rows of `in` that lie apart in `out`, or the other way round.
std::unique_ptr<CellPart> make_exchange_part(Session const& session, Exercise const& exercise, Cell const& cell,
                                             std::uint64_t seed);

}  // namespace Koinon::Testing
