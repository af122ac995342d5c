// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Names.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace Koinon::Perf {

/// Blocks of 256 threads on a multiprocessor that are half of what it holds.
inline constexpr int most_load_of_a_gpu = 4;

/// Says what one run of the program does, as the command line states it.
struct Options {
  enum class Task { measure, trace, list, help };
  Task task = Task::measure;

  Operation operation = Operation::all_reduce;
  Norm norm = Norm::none;  ///< behind the operation
  std::string trace_file;
  std::size_t repeat = 0;  ///< steps in a timed batch of a trace; 0: as many as fill the time

  std::size_t min_bytes = 8;
  std::size_t max_bytes = std::size_t{64} << 20;
  std::size_t factor = 2;
  std::size_t rows = 0;  ///< 0: from the bytes
  std::size_t columns = 1;
  std::vector<std::size_t> counts;  ///< rows a rank; empty: even
  std::vector<std::size_t> widths;  ///< columns a rank; empty: even
  ElementType type = ElementType::f32;
  ReducerName reducer = ReducerName::sum;
  Algorithm algorithm = Algorithm::automatic;
  Transport transport = Transport::automatic;
  Placement placement = Placement::private_memory;
  bool in_place = false;
  bool borrowed = false;  ///< the result lies in a workspace
  bool skip_entry_barrier = false;
  bool dependent_launch = false;
  bool early_trigger = false;

  Device device = Device::host;  ///< of this build: its GPUs where it has them
  bool graph = false;            ///< the calls of a batch are one captured graph
  int gpus = 0;                  ///< GPUs of this host for thread ranks; 0: one each, or all on fewer in turn

  int load = 0;  ///< threads, on GPUs blocks a multiprocessor, that fill memory during the measurement

  bool check = true;
  std::size_t iterations = 0;  ///< calls in a timed batch; 0: as many as fill the time, on GPUs 200
  std::size_t repetitions = 7;
  std::vector<std::string> rivals;
  std::string json_file;
  std::string plot_file;
  std::string tune_file;  ///< empty: nothing is tuned
  int thread_ranks = 0;  ///< 0: one rank a process
  int threads = 1;       ///< threads a rank gives to its execution space instance

  std::string text;  ///< what help prints
};

/// Reads the command line, the program's name left out.
/// @throws UsageError whose message names the argument and the values that are valid
Options parse_options(std::vector<std::string> const& arguments);

}  // namespace Koinon::Perf
