// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Facts.hpp>
#include <Koinon_Request.hpp>
#include <Koinon_Text.hpp>
#include <Koinon_TuningTable.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace Koinon::Impl {

/// Says by which algorithm and transport a call runs, and which entry of the table was measured for them.
struct PathChoice {
  Algorithm algorithm = Algorithm::automatic;
  Transport transport = Transport::automatic;
  TuningEntry const* entry = nullptr;
  bool found = false;
};

/// Names what keeps a call from an algorithm, a transport or the two together.
enum class Obstacle { none, algorithm, low_latency_bytes, transport, determinism, pair };

/// @pre automatic stands for a choice still open: it is no obstacle
constexpr Obstacle obstacle(Algorithm algorithm, Transport transport, Request const& request, Facts const& facts) {
  if (!facts.algorithms.allows(algorithm)) return Obstacle::algorithm;
  if (algorithm == Algorithm::low_latency && facts.message_bytes > facts.low_latency_max_bytes) {
    return Obstacle::low_latency_bytes;
  }
  if (!facts.transports.allows(transport)) return Obstacle::transport;
  if (request.deterministic() && transport != Transport::automatic &&
      !facts.deterministic_transports.contains(transport)) {
    return Obstacle::determinism;
  }
  return facts.refusal(algorithm, transport) != nullptr ? Obstacle::pair : Obstacle::none;
}

inline std::string obstacle_text(Algorithm algorithm, Transport transport, Request const& request, Facts const& facts) {
  switch (obstacle(algorithm, transport, request, facts)) {
    case Obstacle::algorithm:
      return joined(algorithm, ": ", facts.algorithms.refusal(algorithm));
    case Obstacle::low_latency_bytes:
      return joined(algorithm, ": the message has ", facts.message_bytes, " bytes, packets have room for ",
                    facts.low_latency_max_bytes);
    case Obstacle::transport:
      return joined(transport, ": ", facts.transports.refusal(transport));
    case Obstacle::determinism:
      return joined(transport, ": deterministic is required, and it promises no order");
    case Obstacle::pair:
      return joined(algorithm, " by ", transport, ": ", facts.refusal(algorithm, transport));
    case Obstacle::none:
      break;
  }
  return {};
}

inline constexpr std::array all_algorithms{Algorithm::low_latency, Algorithm::one_shot, Algorithm::two_shot};
inline constexpr std::array all_transports{Transport::peer_load, Transport::multimem};

/// Orders choices: the asked one, the table's, the default ones; only the asked one when it is required. Repetitions
/// are harmless, automatic entries are skipped.
constexpr std::array<Algorithm, 5> algorithm_order(Request const& request, Facts const& facts, Algorithm tuned) {
  Algorithm const asked = request.asked.algorithm;
  if (asked != Algorithm::automatic && request.required.contains(Category::algorithm)) return {asked};
  bool const small = facts.message_bytes <= one_shot_edge_bytes(facts.ranks);
  return {asked, tuned, Algorithm::low_latency, small ? Algorithm::one_shot : Algorithm::two_shot,
          small ? Algorithm::two_shot : Algorithm::one_shot};
}

constexpr std::array<Transport, 4> transport_order(Request const& request, Transport tuned) {
  Transport const asked = request.asked.transport;
  if (asked != Transport::automatic && request.required.contains(Category::transport)) return {asked};
  return {asked, tuned, Transport::peer_load, Transport::multimem};
}

constexpr PathChoice first_possible(Request const& request, Facts const& facts, Tuning const& tuned) {
  for (Algorithm const algorithm : algorithm_order(request, facts, tuned.algorithm)) {
    for (Transport const transport : transport_order(request, tuned.transport)) {
      if (algorithm == Algorithm::automatic || transport == Transport::automatic) continue;
      if (obstacle(algorithm, transport, request, facts) == Obstacle::none)
        return {algorithm, transport, nullptr, true};
    }
  }
  return {};
}

/// Chooses algorithm before transport: where both are preferred and exclude each other, the algorithm is kept.
inline PathChoice choose_path(Operation operation, Request const& request, Facts const& facts,
                              TuningTable const& table) {
  TuningQuery query{.backend = facts.backend,
                    .architecture = facts.architecture,
                    .capabilities = facts.capabilities,
                    .operation = operation,
                    .element_bytes = facts.element_bytes,
                    .ranks = facts.ranks,
                    .bytes = facts.message_bytes};
  Algorithm const asked_algorithm = request.asked.algorithm;
  Transport const asked_transport = request.asked.transport;
  if (obstacle(asked_algorithm, Transport::automatic, request, facts) == Obstacle::none) {
    query.algorithm = asked_algorithm;
  }
  if (obstacle(Algorithm::automatic, asked_transport, request, facts) == Obstacle::none) {
    query.transport = asked_transport;
  }
  TuningEntry const* entry = table.find(query);

  PathChoice choice = first_possible(request, facts, entry != nullptr ? entry->tuning : Tuning{});
  // Geometry measured for another path is worth nothing here: look up what was measured for this one.
  query.algorithm = choice.algorithm;
  query.transport = choice.transport;
  choice.entry = choice.found ? table.find(query) : nullptr;
  return choice;
}

/// Says why no path is left.
/// @pre choose_path found none
inline std::string path_refusal(Request const& request, Facts const& facts) {
  Algorithm const algorithm =
      request.required.contains(Category::algorithm) ? request.asked.algorithm : Algorithm::automatic;
  Transport const transport =
      request.required.contains(Category::transport) ? request.asked.transport : Transport::automatic;
  std::string const required = obstacle_text(algorithm, transport, request, facts);
  if (!required.empty()) return required;

  std::string text = "no algorithm and transport is left";
  for (Algorithm const candidate : all_algorithms) {
    if (algorithm != Algorithm::automatic && candidate != algorithm) continue;
    for (Transport const by : all_transports) {
      if (transport != Transport::automatic && by != transport) continue;
      append(text, joined("; ", obstacle_text(candidate, by, request, facts)));
    }
  }
  return text;
}

}  // namespace Koinon::Impl
