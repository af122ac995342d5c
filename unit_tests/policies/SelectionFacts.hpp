// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Selection.hpp>

#include <cstdint>

/// Describes a machine and a call on which everything is possible; tests take away from it.
namespace Koinon::Mock {

constexpr Facts machine(std::int64_t message_bytes = 1 << 20, std::int32_t ranks = 8) {
  Facts facts;
  facts.backend = "shared";
  facts.architecture = "any";
  facts.ranks = ranks;
  facts.max_blocks = 16;
  facts.max_block_threads = 1024;
  facts.block_threads_multiple = 32;
  facts.default_block_threads = 256;
  facts.max_vector_bytes = 16;
  facts.default_vector_bytes = 16;
  facts.max_vectors_in_flight = 8;
  facts.default_vectors_in_flight = 4;
  facts.element_bytes = 4;
  facts.message_bytes = message_bytes;
  facts.work = {.elements = message_bytes / 4};
  facts.low_latency_max_bytes = 4096;
  facts.algorithms.allow(Algorithm::one_shot);
  facts.algorithms.allow(Algorithm::two_shot);
  facts.algorithms.allow(Algorithm::low_latency);
  facts.transports.allow(Transport::peer_load);
  facts.transports.allow(Transport::multimem);
  return facts;
}

inline SelectionAnswer all_reduce(Request const& request, Facts const& facts, TuningTable const& table = {}) {
  return select(Operation::all_reduce, request, facts, table);
}

template <class... Traits>
SelectionAnswer required_all_reduce(Facts const& facts, TuningTable const& table = {}) {
  return all_reduce(request_of<Traits...>(), facts, table);
}

}  // namespace Koinon::Mock
