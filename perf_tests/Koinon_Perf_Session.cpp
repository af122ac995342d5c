// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Cases.hpp>
#include <Koinon_Perf_Machine.hpp>
#include <Koinon_Perf_Measure.hpp>
#include <Koinon_Perf_Memory.hpp>
#include <Koinon_Perf_Session.hpp>
#include <Koinon_Perf_Table.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

namespace Koinon::Perf {

namespace {

using Rivals = std::vector<std::unique_ptr<Rival>>;

/// Prints on rank 0 only, and at once: a row may take seconds.
void print(RankGroup const& ranks, std::string const& text) {
  if (ranks.rank() != 0) return;
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

std::vector<std::pair<std::string, std::string>> describe_run(Plan const& plan, RankGroup const& ranks,
                                                              Rivals const& rivals) {
  auto machine = describe_machine();
  machine.emplace_back("koinon", KOINON_VERSION);
  machine.emplace_back("ranks", fmt::format("{} {}", ranks.size(), ranks.is_processes() ? "processes" : "threads"));
  machine.emplace_back("instance", instance_name(plan.options.threads));
  for (auto const& rival : rivals)
    if (rival->refusal({}).empty()) machine.emplace_back(rival->name(), rival->version());
  return machine;
}

std::string head_of(Report const& report, Options const& options) {
  auto head = fmt::format("# {}\n#", report.command);
  for (auto const& [key, value] : report.machine) head += fmt::format(" {}: {};", key, value);
  head.back() = '\n';
  head += fmt::format(
      "# {} arrays; every call's input is rewritten before it. time: rewriting and call, maximum over ranks, median of "
      "{} "
      "batches in turns\n",
      name_of(options.placement), options.repetitions);
  if (!options.rivals.empty()) head += "# ratio: the rival's time / Koinon's, both with the rewriting\n";
  return head;
}

CommunicatorOptions communicator_options(std::size_t symmetric_bytes) {
  CommunicatorOptions options;
  if (symmetric_bytes > 0) options.symmetric_bytes = symmetric_bytes;
  return options;
}

void run_cases(Plan const& plan, std::vector<Case> const& cases, RankGroup& ranks,
               MakeCommunicator const& make_communicator, Rivals const& rivals, Table const& table, Report& report) {
  std::size_t symmetric_bytes = 0;
  for (auto const& what : cases) symmetric_bytes = std::max(symmetric_bytes, symmetric_bytes_of(what, ranks.size()));
  auto const comm = make_communicator(communicator_options(symmetric_bytes));
  Bench const bench{comm, ranks, rivals, {plan.options.repetitions, plan.options.iterations}, plan.options.check};
  print(ranks, table.head());
  std::set<std::string> notes;
  for (auto const& what : cases) {
    report.results.push_back(measure_case(bench, what));
    print(ranks, table.row(report.results.back()));
    for (auto const& rival : rivals)
      if (rival->refusal(what).empty()) notes.insert(rival->note(what));
  }
  for (auto const& note : notes)
    if (!note.empty()) print(ranks, "# " + note + "\n");
}

void run_trace(Plan const& plan, RankGroup& ranks, MakeCommunicator const& make_communicator, Rivals const& rivals,
               Table const& table, Report& report) {
  print(ranks, fmt::format("# trace {}: {}\n{}", plan.trace->name, plan.trace->source, table.trace_head()));
  for (auto const& step : plan.trace->steps) {
    std::vector<Case> cases;
    std::size_t symmetric_bytes = 0;
    for (auto const& call : step.calls) {
      cases.push_back(case_of(call, plan.options, ranks.size()));
      symmetric_bytes += symmetric_bytes_of(cases.back(), ranks.size());
    }
    auto const comm = make_communicator(communicator_options(symmetric_bytes));
    Bench const bench{comm, ranks, rivals, {plan.options.repetitions, plan.options.repeat}, plan.options.check};
    report.results.push_back(measure_step(bench, step, cases));
    report.results.back().trace = plan.trace->name;
    print(ranks, table.trace_row(report.results.back()));
  }
}

}  // namespace

Report run_session(Plan const& plan, RankGroup& ranks, MakeCommunicator const& make_communicator) {
  Rivals rivals;
  for (auto const& name : plan.options.rivals) rivals.push_back(make_rival(name, ranks));
  auto const cases = plan.trace ? std::vector<Case>() : cases_of(plan.options, ranks.size());
  Report report{describe_run(plan, ranks, rivals), plan.command, {}};
  print(ranks, head_of(report, plan.options));
  Table const table(plan.options.rivals);
  if (plan.trace)
    run_trace(plan, ranks, make_communicator, rivals, table, report);
  else
    run_cases(plan, cases, ranks, make_communicator, rivals, table, report);
  print(ranks, table.foot(report.results));
  return report;
}

}  // namespace Koinon::Perf
