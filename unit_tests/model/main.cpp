// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Koinon_ModelScenarios.hpp"

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

// Explores, state by state, launches of 2 and 3 ranks that follow the protocol's rules about launch numbers and
// buffers.
//
// Modelled: launch numbers and their copies, started, signal, offset, exit, round and ready words, packets, sentinels,
// staging halves, filled at home or at who reads them, arrays read and written in place by peers, borrowed memory, the
// user's kernels around them, grids of 1 and 2 blocks, left-over words of the previous cycle of numbers, the wrap at
// 32; stores that land late in any order that releases and coherence allow; the host's order (started words and flags
// of packets are releases, the end of a call drains nothing). Not modelled: loads that are delayed or reordered (every
// wait acquires), failures and deadlines, threads within a block.
//
// All rules on: every sequence of a scenario must be free of errors, and its search must be complete. With --without
// one rule: some scenario must show an error.

namespace {

using namespace Koinon::Impl;

struct Options {
  std::optional<Rule> without;
  std::string scenario;
  std::optional<Sequence> sequence;
  bool known_peers = false;
  bool trace = false;
  bool reduced = true;
  std::size_t most_states = 20'000'000;
};

int usage() {
  std::cerr << "koinon_model [--scenario NAME] [--without RULE] [--known-peers] [--trace] [--sequence "
               "\"KIND:WHO/BLOCKS ...\"]\n"
               "             [--every-order] [--most-states COUNT] | --list\n"
               "  --known-peers  skip reading the started word of a peer whose data of the launch before was taken\n"
               "  --sequence     run one sequence on the scenario's machine\n"
               "  --every-order  with --sequence: also the orders of moves that cannot influence each other\n";
  return 2;
}

int list() {
  for (Scenario const& scenario : scenarios())
    std::cout << "scenario " << scenario.name << ": " << scenario.about << '\n';
  for (unsigned i = 0; i < rule_count; ++i)
    std::cout << "rule " << name_of(static_cast<Rule>(i)) << ": without it, " << without_it(static_cast<Rule>(i))
              << '\n';
  for (Launch const& launch : make_menu(all_kinds(), 2, 1)) std::cout << "launch " << text_of(launch) << '\n';
  return 0;
}

std::optional<Options> parse(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    std::string const word = words[i];
    bool const has_value = i + 1 < count;
    if (word == "--known-peers") {
      options.known_peers = true;
    } else if (word == "--trace") {
      options.trace = true;
    } else if (word == "--every-order") {
      options.reduced = false;
    } else if (word == "--without" && has_value) {
      options.without = find_rule(words[++i]);
      if (!options.without) return std::nullopt;
    } else if (word == "--scenario" && has_value) {
      options.scenario = words[++i];
    } else if (word == "--most-states" && has_value) {
      options.most_states = std::strtoull(words[++i], nullptr, 10);
    } else if (word == "--sequence" && has_value) {
      options.sequence = parse_sequence(words[++i]);
      if (!options.sequence) return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  return options;
}

void print(Scenario const& scenario, Outcome const& outcome, bool one_sequence, double seconds) {
  std::cout << scenario.name << " (" << scenario.about << "): " << outcome.states << " states, " << outcome.sequences;
  if (!one_sequence)
    std::cout << (scenario.samples ? " drawn of " : " sequences, one of each rotation of ")
              << sequences_in_all(scenario);
  std::cout << ", at most " << outcome.most_states << " states each, "
            << (outcome.limited         ? "LIMITED"
                : outcome.error.empty() ? "complete"
                                        : "ended by an error")
            << ", " << seconds << " s\n";
}

void print_error(Outcome const& outcome, bool trace) {
  std::cout << "  error: " << outcome.error << "\n  in: " << text_of(outcome.sequence) << '\n';
  if (trace)
    for (std::string const& line : outcome.trace) std::cout << "    " << line << '\n';
}

struct Verdict {
  bool ran = false, failed = false, limited = false;
};

/// Runs the scenario, or the one sequence on its machine, prints what was found, and adds it to `verdict`.
void run(Scenario scenario, Options const& options, Verdict& verdict) {
  if (!options.scenario.empty() && scenario.name != options.scenario) return;
  scenario.setting.known_peers = options.known_peers;
  scenario.reduced = scenario.reduced && options.reduced;
  if (options.without) scenario.setting.rules.remove(*options.without);
  auto const begin = std::chrono::steady_clock::now();
  Outcome outcome = options.sequence
                        ? explore(scenario.setting, *options.sequence, options.most_states, scenario.reduced)
                        : run_scenario(scenario, options.most_states);
  if (options.sequence) outcome.sequence = *options.sequence;
  double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  print(scenario, outcome, options.sequence.has_value(), seconds);
  if (!outcome.error.empty()) print_error(shortened(scenario, outcome.sequence, options.most_states), options.trace);
  verdict.ran = true;
  verdict.failed = verdict.failed || !outcome.error.empty();
  verdict.limited = verdict.limited || outcome.limited;
}

}  // namespace

int main(int count, char** words) {
  if (count == 2 && std::string(words[1]) == "--list") return list();
  std::optional<Options> const options = parse(count, words);
  if (!options) return usage();
  Verdict verdict;
  if (options->without && options->scenario.empty()) {  // a few sequences of each scenario show most errors
    for (Scenario scenario : scenarios()) {
      scenario.samples = 1000;
      if (!verdict.failed && scenario.reduced) run(scenario, *options, verdict);
    }
  }
  for (Scenario const& scenario : scenarios())
    if (!verdict.failed) run(scenario, *options, verdict);
  if (!verdict.ran) return usage();
  if (!options->without) {
    std::cout << (verdict.failed    ? "FAILED: an error with all rules on\n"
                  : verdict.limited ? "FAILED: the search was cut\n"
                                    : "passed: no error, search complete\n");
    return verdict.failed || verdict.limited ? 1 : 0;
  }
  std::cout << (verdict.failed ? "passed: an error without " : "FAILED: no error without ")
            << name_of(*options->without) << '\n';
  return verdict.failed ? 0 : 1;
}
