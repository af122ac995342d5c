// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Candidates.hpp>
#include <Koinon_Perf_Cases.hpp>
#include <Koinon_Perf_Machine.hpp>
#include <Koinon_Perf_Measure.hpp>
#include <Koinon_Perf_Session.hpp>
#include <Koinon_Perf_Table.hpp>
#include <Koinon_Perf_Tune.hpp>
#include <Koinon_Perf_TuningEntries.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

std::vector<std::pair<std::string, std::string>> describe_run(Place const& place, RankGroup const& ranks,
                                                              Rivals const& rivals) {
  auto machine = describe_machine();
  machine.emplace_back("koinon", KOINON_VERSION);
  machine.emplace_back("ranks", fmt::format("{} {}", ranks.size(), ranks.is_processes() ? "processes" : "threads"));
  for (auto& entry : place.describe()) machine.push_back(std::move(entry));
  if (place.neighbour() != nullptr) machine.emplace_back("load", place.neighbour()->describe());
  for (auto const& rival : rivals)
    if (rival->refusal({}).empty()) machine.emplace_back(rival->name(), rival->version());
  return machine;
}

std::string head_of(Report const& report, Options const& options) {
  auto head = fmt::format("# {}\n#", report.command);
  for (auto const& [key, value] : report.machine) head += fmt::format(" {}: {};", key, value);
  head.back() = '\n';
  if (options.borrowed)
    head += "# borrowed results: each lies in a workspace; rivals write theirs to the same memory\n";
  if (options.load > 0) head += "# under load: all sides are timed while a neighbour fills memory\n";
  if (options.device == Device::host) {
    head += fmt::format(
        "# {} arrays; every call's input is rewritten before it. time: rewriting and call, maximum over ranks, median "
        "of {} "
        "batches in turns\n",
        name_of(options.placement), options.repetitions);
    if (!options.rivals.empty()) head += "# ratio: the rival's time / Koinon's, both with the rewriting\n";
    return head;
  }
  head += fmt::format(
      "# {} arrays; inputs are rewritten before every batch, {}{}{}. time: a call by the device's clock, maximum over "
      "ranks, median of {} batches in turns, rewriting and barrier not in it; host: processor time to enqueue a call\n",
      name_of(options.placement), options.graph ? "a graph that was captured once" : "enqueued call by call",
      options.dependent_launch ? ", DependentLaunch" : "", options.early_trigger ? ", EarlyTrigger" : "",
      options.repetitions);
  if (!options.rivals.empty()) head += "# ratio: the rival's time / Koinon's\n";
  return head;
}

std::string load_foot(Place const& place) {
  auto const* const neighbour = place.neighbour();
  if (neighbour == nullptr) return {};
  return fmt::format("# load: {}; read and written meanwhile: {:.1f} GB/s\n", neighbour->describe(),
                     neighbour->gigabytes_per_second());
}

/// Returns the calls of a batch, or 0 for as many as fill the time: a device is timed over a fixed number.
std::size_t calls_in_batch(std::size_t asked, Place& place, std::size_t calls_each) {
  constexpr std::size_t usual_calls = 200;  // what a launch of a graph takes is a hundredth then
  if (asked != 0 || place.queue() == nullptr) return asked;
  return std::max<std::size_t>(1, usual_calls / std::max<std::size_t>(1, calls_each));
}

void run_cases(Plan const& plan, std::vector<Case> const& cases, RankGroup& ranks, Place& place, Rivals const& rivals,
               Table const& table, Report& report) {
  auto const smaller = [](Case const& a, Case const& b) { return a.bytes() < b.bytes(); };
  // Arrays of one case after the other have room in those of the largest; workspaces stay until the communicator goes.
  auto const subject = place.make_subject(
      plan.options.borrowed ? cases : std::vector<Case>{*std::max_element(cases.begin(), cases.end(), smaller)});
  Bench const bench{*subject,
                    place.queue(),
                    ranks,
                    rivals,
                    {plan.options.repetitions, calls_in_batch(plan.options.iterations, place, 1)},
                    plan.options.check,
                    plan.options.graph,
                    plan.options.load,
                    place.neighbour()};
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

void run_trace(Plan const& plan, RankGroup& ranks, Place& place, Rivals const& rivals, Table const& table,
               Report& report) {
  print(ranks, fmt::format("# trace {}: {}\n{}", plan.trace->name, plan.trace->source, table.trace_head()));
  for (auto const& step : plan.trace->steps) {
    std::vector<Case> cases;
    for (auto const& call : step.calls) cases.push_back(case_of(call, plan.options, ranks.size()));
    auto const subject = place.make_subject(cases);
    Bench const bench{*subject,
                      place.queue(),
                      ranks,
                      rivals,
                      {plan.options.repetitions, calls_in_batch(plan.options.repeat, place, step.order.size())},
                      plan.options.check,
                      plan.options.graph,
                      plan.options.load,
                      place.neighbour()};
    report.results.push_back(measure_step(bench, step, cases));
    report.results.back().trace = plan.trace->name;
    print(ranks, table.trace_row(report.results.back()));
  }
}

/// Finds the fastest way of each size. A row of the report holds what private arrays take with it.
void run_tuning(Plan const& plan, std::vector<Case> const& cases, RankGroup& ranks, Place& place, Report& report) {
  Rivals const none;
  auto largest =
      *std::max_element(cases.begin(), cases.end(), [](Case const& a, Case const& b) { return a.bytes() < b.bytes(); });
  largest.placement = Placement::private_memory;
  std::vector<Case> room{largest, largest};
  room.back().placement = Placement::symmetric;
  auto const subject = place.make_subject(room);
  Bench const bench{*subject,
                    place.queue(),
                    ranks,
                    none,
                    {plan.options.repetitions, calls_in_batch(plan.options.iterations, place, 1)},
                    plan.options.check,
                    plan.options.graph,
                    plan.options.load,
                    place.neighbour()};
  print(ranks,
        fmt::format("#{:>12} {:>12} {:>10} {:>10} {:>10} {:>10} {:>6}  fastest\n#{:>12} {:>12} {:>10} {:>10} {:>10} "
                    "{:>10}\n",
                    "bytes", "to a peer", "private", "symmetric", "automatic", "automatic", "wrong", "(B)", "(B)",
                    "(us)", "(us)", "private", "symmetric"));
  std::vector<TunedSize> sizes;
  for (auto const& what : cases) {
    auto const tuned = tune_case(bench, what, plan.options.device, sizes.empty() ? Tuning{} : sizes.back().tuning);
    bool const ran = std::isfinite(tuned.private_us * tuned.symmetric_us);
    if (ran) sizes.push_back({static_cast<std::int64_t>(what.message_bytes()), tuned.tuning});
    auto const wrong = ranks.sum(tuned.wrong);
    print(ranks, fmt::format(" {:>12} {:>12} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>6}  {}\n", what.bytes(),
                             what.message_bytes(), tuned.private_us, tuned.symmetric_us, tuned.automatic_private_us,
                             tuned.automatic_symmetric_us, wrong,
                             ran ? text_of(tuned.tuning) : "none: not in the table"));
    Result result;
    result.operation = what.operation;
    result.bytes = what.bytes();
    result.ranks = ranks.size();
    if (ran)
      result.time.median = tuned.private_us;
    else
      result.refusal = "no algorithm of those asked for runs this size";
    result.wrong = tuned.wrong;
    report.results.push_back(result);
  }
  TuningEntry key;
  key.backend = ShortName(plan.options.device == Device::host ? "host" : "cuda");
  key.operation = plan.options.operation;
  key.ranks = ranks.size();
  report.tuning = entries_of(key, sizes);
}

}  // namespace

Report run_session(Plan const& plan, RankGroup& ranks, Place& place) {
  Rivals rivals;
  for (auto const& name : plan.options.rivals) rivals.push_back(make_rival(name, ranks, place.gpu()));
  auto const cases = plan.trace ? std::vector<Case>() : cases_of(plan.options, ranks.size());
  Report report{describe_run(place, ranks, rivals), plan.command, {}};
  print(ranks, head_of(report, plan.options));
  Table const table(plan.options.rivals, plan.options.device);
  if (!plan.options.tune_file.empty()) {
    run_tuning(plan, cases, ranks, place, report);
    print(ranks, load_foot(place));
    return report;
  }
  if (plan.trace)
    run_trace(plan, ranks, place, rivals, table, report);
  else
    run_cases(plan, cases, ranks, place, rivals, table, report);
  print(ranks, table.foot(report.results) + load_foot(place));
  return report;
}

}  // namespace Koinon::Perf
