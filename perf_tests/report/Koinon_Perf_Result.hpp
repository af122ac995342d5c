// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Names.hpp>
#include <Koinon_Perf_Statistics.hpp>
#include <Koinon_TuningTable.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace Koinon::Perf {

struct RivalResult {
  std::string name;
  std::string refusal;  ///< why it did not run; empty: it did
  Summary time;
  std::uint64_t wrong = 0;
  double host = 0;  ///< of a queue: the host's processor time to enqueue a call
};

/// One row: one operation at one size, or one step of a trace. Times in microseconds.
struct Result {
  std::string trace;  ///< name of the trace; empty: a row of one operation
  std::string step;
  std::size_t calls = 1;

  Operation operation = Operation::all_reduce;
  Norm norm = Norm::none;
  std::size_t bytes = 0;  ///< of the whole array; of a step: of all calls together
  std::size_t count = 0;  ///< bytes / bytes of an element
  ElementType type = ElementType::f32;
  ReducerName reducer = ReducerName::sum;
  int ranks = 1;
  Algorithm algorithm = Algorithm::automatic;
  Transport transport = Transport::automatic;
  Placement placement = Placement::private_memory;
  bool in_place = false;
  bool borrowed = false;
  bool graph = false;
  bool dependent_launch = false;
  bool early_trigger = false;
  Device device = Device::host;
  int load = 0;  ///< of a neighbour that filled memory meanwhile, as the command line says it

  std::string refusal;  ///< why Koinon did not run; empty: it did
  Summary time;         ///< of {rewrite the input; call}; of a queue: of the call alone, by the device's clock
  double rewrite = 0;   ///< of the rewriting alone; of a queue: not in the time
  double host = 0;      ///< of a queue: the host's processor time to enqueue a call, the most of any rank
  std::uint64_t wrong = 0;
  bool checked = true;
  std::vector<RivalResult> rivals;
};

struct Report {
  std::vector<std::pair<std::string, std::string>> machine;
  std::string command;
  std::vector<Result> results;
  std::vector<TuningEntry> tuning{};  ///< of --tune
};

/// Returns the elements that differ from the expected results, those of rivals included.
std::uint64_t wrong_elements(Report const& report);

/// Returns what one call moves, in 10^9 bytes a second, seen from the caller: bytes / time.
double algorithm_bandwidth(Result const& result);

/// Returns what the links must carry for it, comparable between operations: 2 (n - 1) / n of the algorithm's for
/// all_reduce, (n - 1) / n for reduce_scatter and all_gather, 1 for broadcast and reduce.
double bus_bandwidth(Result const& result);

/// Returns how many times longer the rival needs than Koinon, both with the rewriting.
double ratio(Result const& result, RivalResult const& rival);

}  // namespace Koinon::Perf
