// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Errors.hpp>
#include <Koinon_Perf_Instance.hpp>
#include <Koinon_Perf_Launch.hpp>
#include <Koinon_Perf_Plot.hpp>
#include <Koinon_Perf_ReportFile.hpp>
#include <Koinon_Perf_Rival.hpp>
#include <Koinon_Perf_TuningEntries.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace Koinon::Perf {

namespace {

int value_of(ExitCode code) {
  return static_cast<int>(code);
}

void complain(std::string const& message) {
  if (speaks_for_all_processes()) std::fprintf(stderr, "koinon_perf_tests: %s\n", message.c_str());
}

std::string list_of_this_build() {
  std::string rivals;
  for (auto const& rival : rivals_of_this_build()) rivals += (rivals.empty() ? "" : " ") + rival;
  return "operations: " + built_operations() + "\ntypes: " + built_names<ElementType>() +
         "\nreducers: " + built_names<ReducerName>() + "\nalgorithms: " + built_names<Algorithm>() +
         "\ntransports: " + built_names<Transport>() + "\nplacements: " + built_names<Placement>() +
         "\ntraits: skip-entry-barrier dependent-launch early-trigger\ndevices: " + built_names<Device>() +
         "\ninstance: " + instance_name(1) + "\nrivals: " + (rivals.empty() ? "none" : rivals) + "\n";
}

/// Runs what only one rank of the run does, such as writing a file, and tells the others how it went.
template <class Do>
void on_rank_0(RankGroup& ranks, Do const& once) {
  std::string failure;
  if (ranks.rank() == 0) {
    try {
      once();
    } catch (FileError const& error) {
      failure = error.what();
    }
  }
  if (ranks.any(!failure.empty())) throw FileError(failure);
}

int exit_code_of(Report const& report) {
  auto const refused = [](Result const& result) { return !result.refusal.empty(); };
  if (std::all_of(report.results.begin(), report.results.end(), refused)) return value_of(ExitCode::runtime);
  return value_of(wrong_elements(report) == 0 ? ExitCode::success : ExitCode::wrong_result);
}

int run_plan(Plan const& plan, RankGroup& ranks, Place& place) {
  auto const& options = plan.options;
  auto const code = [&](std::string const& message, ExitCode exit_code) {
    if (ranks.rank() == 0) std::fprintf(stderr, "koinon_perf_tests: %s\n", message.c_str());
    return value_of(exit_code);
  };
  try {
    on_rank_0(ranks, [&] {
      if (!options.json_file.empty()) claim_file(options.json_file);
      if (!options.plot_file.empty()) claim_file(options.plot_file);
      if (!options.tune_file.empty()) claim_file(options.tune_file);
    });
    auto const report = run_session(plan, ranks, place);
    on_rank_0(ranks, [&] {
      if (!options.json_file.empty()) write_file(options.json_file, to_json(report).dump(2) + "\n");
      if (!options.plot_file.empty()) write_file(options.plot_file, plot_svg(report));
      if (!options.tune_file.empty()) write_file(options.tune_file, to_json(report.tuning).dump(2) + "\n");
    });
    return exit_code_of(report);
  } catch (UsageError const& error) {
    return code(error.what(), ExitCode::usage);
  } catch (FileError const& error) {
    return code(error.what(), ExitCode::file);
  }
}

int run(std::vector<std::string> const& arguments) {
  Plan plan;
  plan.options = parse_options(arguments);
  if (plan.options.task == Options::Task::help || plan.options.task == Options::Task::list) {
    auto const text = plan.options.task == Options::Task::help ? plan.options.text : list_of_this_build();
    if (speaks_for_all_processes()) std::fputs(text.c_str(), stdout);
    return value_of(ExitCode::success);
  }
  if (plan.options.threads > 1 && plan.options.device == Device::host && !instance_has_threads)
    throw UsageError("--threads: the instance of this build is the calling thread alone");
  plan.command = "koinon_perf_tests";
  for (auto const& argument : arguments) plan.command += " " + argument;
  if (plan.options.task == Options::Task::trace) plan.trace = read_trace(plan.options.trace_file);
  return on_every_rank(plan.options, [&](RankGroup& ranks, Place& place) { return run_plan(plan, ranks, place); });
}

}  // namespace

}  // namespace Koinon::Perf

int main(int argc, char** argv) {
  using namespace Koinon::Perf;
  try {
    return run({argv + 1, argv + argc});
  } catch (UsageError const& error) {
    complain(error.what());
    return value_of(ExitCode::usage);
  } catch (FileError const& error) {
    complain(error.what());
    return value_of(ExitCode::file);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "koinon_perf_tests: %s\n", error.what());
    return value_of(ExitCode::runtime);
  }
}
