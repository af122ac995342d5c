// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Errors.hpp>
#include <Koinon_Perf_Options.hpp>
#include <Koinon_Perf_Sizes.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace Koinon::Perf {

namespace {

/// Holds every argument as it was typed: words are looked up afterwards, so that all messages are ours.
struct Words {
  std::string operation, file, repeat;
  std::string min_bytes = "8", max_bytes = "64M", factor = "2", rows, columns, counts;
  std::string type, reducer, algorithm = "auto", transport = "auto", placement = "private";
  std::string check = "1", iterations, repetitions = "7", threads, thread_ranks, device, gpus;
  std::string widths, variant, load;
  bool list = false;
};

template <class Value>
Value look_up(std::string_view option, std::string const& word) {
  auto const value = value_named<Value>(word);
  if (value && is_built(*value)) return *value;
  throw UsageError(
      fmt::format("{}: no '{}'{}; there are: {}", option, word, value ? " in this build" : "", built_names<Value>()));
}

NamedOperation look_up_operation(std::string const& word) {
  if (word.empty()) throw UsageError(fmt::format("which operation? there are: {} (or trace FILE)", built_operations()));
  auto const measured = operation_named(word);
  if (measured && is_built(*measured)) return *measured;
  auto const* why = measured ? "not in this build" : "no such operation";
  throw UsageError(fmt::format("{}: {}; there are: {}", word, why, built_operations()));
}

std::size_t positive(std::string_view option, std::string const& word) {
  auto const number = parse_size(option, word);
  if (number == 0) throw UsageError(fmt::format("{}: must be at least 1", option));
  return number;
}

int small_number(std::string_view option, std::string const& word) {
  auto const number = positive(option, word);
  if (number > 4096) throw UsageError(fmt::format("{}: {} is more than 4096", option, number));
  return static_cast<int>(number);
}

void declare(CLI::App& app, Words& words, Options& options) {
  app.add_option("operation", words.operation, "one of: " + built_operations() + "; or: trace FILE");
  app.add_option("file", words.file, "the trace to replay");
  app.add_option("--min-bytes", words.min_bytes, "smallest size; K, M, G are 1024 each [8]");
  app.add_option("--max-bytes", words.max_bytes, "largest size [64M]");
  app.add_option("--factor", words.factor, "from one size to the next [2]");
  app.add_option("--type", words.type, "one of: " + built_names<ElementType>() + " [float]");
  app.add_option("--reducer", words.reducer, "one of: " + built_names<ReducerName>() + " [sum]");
  app.add_option("--algorithm", words.algorithm, "required: " + built_names<Algorithm>());
  app.add_option("--transport", words.transport, "required: " + built_names<Transport>());
  app.add_option("--placement", words.placement, "memory of the arrays: " + built_names<Placement>() + " [private]");
  app.add_flag("--in-place", options.in_place, "the output is (a part of) the input");
  app.add_flag("--borrowed", options.borrowed, "the result lies in a workspace: " + lending_operations());
  app.add_option("--rows", words.rows, "measure this one number of rows instead of a range of bytes");
  app.add_option("--columns", words.columns, "elements in a row [1; of a norm 7168]");
  app.add_option("--variant", words.variant, "of a norm: " + built_names<Norm>() + " [residual]");
  app.add_option("--counts", words.counts, "rows of each rank, or for each rank, with commas; they may differ");
  app.add_option("--widths", words.widths, "columns of each rank, with commas; they may differ");
  app.add_flag("--skip-entry-barrier", options.skip_entry_barrier, "measure with the trait SkipEntryBarrier");
  app.add_flag("--dependent-launch", options.dependent_launch, "measure with the trait DependentLaunch");
  app.add_flag("--early-trigger", options.early_trigger, "measure with the trait EarlyTrigger");
  app.add_option("--device", words.device, "where the arrays are: " + built_names<Device>() + " [the last of these]");
  app.add_flag("--graph", options.graph, "a batch is one graph of so many calls, captured once (GPUs)");
  app.add_option("--gpus", words.gpus, "spread thread ranks over this many GPUs [as many as there are]");
  app.add_option("--check", words.check, "compare every element with the expected result: 0 or 1 [1]");
  app.add_option("--iterations", words.iterations, "calls in a timed batch [as many as fill about 30 ms; on GPUs 200]");
  app.add_option("--repetitions", words.repetitions, "timed batches of each side [7]");
  app.add_option("--repeat", words.repeat, "trace: steps in a timed batch [as many as fill about 30 ms]");
  app.add_option("--rivals", options.rivals, "measure these beside Koinon, in turns (--list names them)")
      ->delimiter(',');
  app.add_option("--json", options.json_file, "write the results to this file");
  app.add_option("--plot", options.plot_file, "draw the times into this file (SVG)");
  app.add_option("--tune", options.tune_file,
                 "find the fastest algorithm and geometry of each size and write a table for KOINON_TUNING");
  app.add_option("--thread-ranks", words.thread_ranks, "ranks are this many threads of this one process");
  app.add_option("--threads", words.threads, "threads a rank [OMP_NUM_THREADS, else 1]");
  app.add_flag("--list", words.list, "name the operations, types, traits and rivals of this build");
  app.add_option("--load", words.load,
                 "a neighbour fills memory meanwhile: threads on each host, on GPUs blocks of 256 threads a multiprocessor "
                 "[1 of them]")
      ->expected(0, 1);
}

void check_norm(Options const& options, Words const& words, std::string_view operation) {
  if (!is_normed(options.type))
    throw UsageError(fmt::format("--type: {} is measured for float, float16 and bfloat16", operation));
  if (!words.reducer.empty()) throw UsageError(fmt::format("--reducer: {} sums", operation));
  if (options.in_place) throw UsageError(fmt::format("--in-place: {} is measured with arrays of its own", operation));
  if (!options.tune_file.empty()) throw UsageError("--tune: of an operation without a norm");
}

void check_borrowed(Options const& options, std::string_view operation) {
  if (options.norm != Norm::none || !lends_its_result(options.operation))
    throw UsageError(
        fmt::format("--borrowed: {} returns no borrowed result; those that do: {}", operation, lending_operations()));
  if (options.in_place) throw UsageError("--borrowed and --in-place: the result lies in a workspace or in the input");
  if (!options.tune_file.empty()) throw UsageError("--tune: of results that are the caller's; leave --borrowed out");
}

void check_together(Options const& options, Words const& words) {
  if (options.device == Device::host) {
    if (options.graph) throw UsageError("--graph: needs --device cuda: the host has no graphs");
    if (!words.gpus.empty()) throw UsageError("--gpus: needs --device cuda");
  } else if (options.load > most_load_of_a_gpu) {
    throw UsageError(fmt::format("--load {}: at most {} on a GPU: the ranks need the other half of it", options.load,
                                 most_load_of_a_gpu));
  }
  if (!options.tune_file.empty()) {
    if (options.task == Options::Task::trace) throw UsageError("--tune: of one operation, not of a trace");
    if (options.operation == Operation::barrier) throw UsageError("--tune: barrier has one algorithm");
    if (!options.rivals.empty()) throw UsageError("--tune: measures no rivals; leave --rivals out");
    if (!options.plot_file.empty() || !options.json_file.empty())
      throw UsageError("--tune: writes its table only; leave --json and --plot out");
  }
  if (options.task == Options::Task::trace) {
    if (options.borrowed) throw UsageError("--borrowed: of one operation, not of a trace");
    return;
  }
  auto const operation = name_of(options.operation, options.norm);
  if (options.norm != Norm::none) check_norm(options, words, operation);
  if (options.borrowed) check_borrowed(options, operation);
  if (!words.reducer.empty() && !has_reducer(options.operation))
    throw UsageError(fmt::format("--reducer: {} reduces nothing", operation));
  if (is_bitwise(options.reducer) && !is_integer(options.type))
    throw UsageError(fmt::format("--reducer: {} needs an integer type, not {}", words.reducer, name_of(options.type)));
  if (!options.counts.empty() && !has_counts(options.operation))
    throw UsageError(fmt::format("--counts: {} gives every rank the same rows", operation));
  if (!options.widths.empty() && options.operation != Operation::all_gather_columns)
    throw UsageError(fmt::format("--widths: {} gives every rank as many columns", operation));
  if (!options.widths.empty() && !words.columns.empty())
    throw UsageError("--widths and --columns: the columns are the sum of the widths; give one of the two");
  if (options.in_place && is_exchange(options.operation))
    throw UsageError(fmt::format("--in-place: {} has no such form", operation));
  if (!options.counts.empty() && options.rows != 0)
    throw UsageError("--counts and --rows: the rows are the sum of the counts; give one of the two");
  if (options.min_bytes > options.max_bytes)
    throw UsageError(fmt::format("--min-bytes {} is above --max-bytes {}", words.min_bytes, words.max_bytes));
  if (options.factor < 2) throw UsageError("--factor: must be at least 2");
  if (options.in_place && options.operation == Operation::barrier)
    throw UsageError("--in-place: barrier has no arrays");
  if (options.in_place && options.operation == Operation::all_gather_multiple)
    throw UsageError("--in-place: all_gather_multiple is measured with inputs apart from the outputs");
  if (!words.repeat.empty()) throw UsageError("--repeat: only for trace; --iterations is the calls in a batch");
}

ElementType first_built_type() {
  for (auto const& name : names<ElementType>)
    if (is_built(name.value)) return name.value;
  throw UsageError("this build measures no element type");
}

Device last_built_device() {
  auto last = Device::host;
  for (auto const& name : names<Device>)
    if (is_built(name.value)) last = name.value;
  return last;
}

int threads_of_environment() {
  auto const* text = std::getenv("OMP_NUM_THREADS");
  auto const number = text == nullptr ? 0 : std::atoi(text);
  return std::clamp(number, 1, 4096);
}

}  // namespace

Options parse_options(std::vector<std::string> const& arguments) {
  Options options;
  Words words;
  CLI::App app{"Measures Koinon's collectives, and the same calls of its rivals beside them.", "koinon_perf_tests"};
  declare(app, words, options);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (CLI::CallForHelp const&) {
    options.task = Options::Task::help;
    options.text = app.help();
    return options;
  } catch (CLI::ExtrasError const& error) {
    throw UsageError(fmt::format("{}; --help names the options", error.what()));
  } catch (CLI::ParseError const& error) {
    throw UsageError(error.what());
  }
  if (words.list) {
    options.task = Options::Task::list;
    return options;
  }
  if (options.graph && !is_built(Device::cuda))
    throw UsageError("--graph: not in this build: the host has no graphs");
  if (words.operation == "trace") {
    options.task = Options::Task::trace;
    options.trace_file = words.file;
    if (words.file.empty()) throw UsageError("trace: which file? (perf_tests/traces has some)");
  } else {
    auto const measured = look_up_operation(words.operation);
    options.operation = measured.operation;
    options.norm = measured.norm;
    if (!words.file.empty()) throw UsageError(fmt::format("unexpected argument '{}'", words.file));
  }
  options.min_bytes = positive("--min-bytes", words.min_bytes);
  options.max_bytes = positive("--max-bytes", words.max_bytes);
  options.factor = positive("--factor", words.factor);
  if (!words.rows.empty()) options.rows = positive("--rows", words.rows);
  if (!words.columns.empty()) options.columns = positive("--columns", words.columns);
  if (!words.counts.empty()) options.counts = parse_counts("--counts", words.counts);
  if (!words.widths.empty()) options.widths = parse_counts("--widths", words.widths);
  if (!words.type.empty()) options.type = look_up<ElementType>("--type", words.type);
  if (!is_built(options.type)) options.type = first_built_type();
  if (!words.variant.empty()) {
    if (options.norm == Norm::none) throw UsageError("--variant: only operations with a norm have variants");
    options.norm = look_up<Norm>("--variant", words.variant);
  }
  if (!words.reducer.empty()) options.reducer = look_up<ReducerName>("--reducer", words.reducer);
  options.device = words.device.empty() ? last_built_device() : look_up<Device>("--device", words.device);
  if (!words.gpus.empty()) options.gpus = small_number("--gpus", words.gpus);
  options.algorithm = look_up<Algorithm>("--algorithm", words.algorithm);
  options.transport = look_up<Transport>("--transport", words.transport);
  options.placement = look_up<Placement>("--placement", words.placement);
  if (words.check != "0" && words.check != "1") throw UsageError("--check: 0 or 1, not '" + words.check + "'");
  options.check = words.check == "1";
  if (!words.iterations.empty()) options.iterations = positive("--iterations", words.iterations);
  if (!words.repeat.empty()) options.repeat = positive("--repeat", words.repeat);
  if (app.count("--load") > 0) options.load = words.load.empty() ? 1 : small_number("--load", words.load);
  options.repetitions = positive("--repetitions", words.repetitions);
  if (!words.thread_ranks.empty()) options.thread_ranks = small_number("--thread-ranks", words.thread_ranks);
  options.threads = words.threads.empty() ? threads_of_environment() : small_number("--threads", words.threads);
  check_together(options, words);
  return options;
}

}  // namespace Koinon::Perf
