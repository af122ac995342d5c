// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Geometry.hpp>
#include <Koinon_TuningTable.hpp>

#include <array>
#include <cstdint>

namespace Koinon {

/// Says which choices a call has, and why it lacks the others. Reasons are static text.
template <class Enum>
class CandidateSet {
 public:
  constexpr CandidateSet() {
    m_refusals.fill("this operation does not offer it");
    m_refusals[0] = nullptr;
  }

  constexpr void allow(Enum value) { m_refusals[static_cast<std::size_t>(value)] = nullptr; }

  /// @pre reason is not null and outlives the selection
  constexpr void refuse(Enum value, char const* reason) { m_refusals[static_cast<std::size_t>(value)] = reason; }

  constexpr bool allows(Enum value) const { return refusal(value) == nullptr; }
  constexpr char const* refusal(Enum value) const { return m_refusals[static_cast<std::size_t>(value)]; }

 private:
  std::array<char const*, enumerator_count<Enum>> m_refusals;
};

/// Gathers what every rank agrees on about one call. Equal facts and requests give equal selections.
struct Facts {
  // The machine, agreed at creation.
  ShortName backend;
  ShortName architecture;
  CapabilitySet capabilities;
  std::int32_t ranks = 1;
  std::int32_t max_blocks = 1;  ///< resident on every rank
  std::int32_t max_block_threads = 1;
  std::int32_t block_threads_multiple = 1;  ///< threads of a warp where a block consists of whole warps
  std::int32_t default_block_threads = 1;
  std::int32_t max_vector_bytes = 16;
  std::int32_t default_vector_bytes = 16;
  std::int32_t max_vectors_in_flight = 8;
  std::int32_t default_vectors_in_flight = 1;

  // The call.
  std::int32_t element_bytes = 1;
  std::int64_t message_bytes = 0;  ///< of the busiest rank
  Work work;                       ///< of the busiest rank
  std::int64_t low_latency_max_bytes = 0;
  std::int32_t least_block_threads = 1;  ///< a table's smaller number is not taken
  CandidateSet<Algorithm> algorithms;
  CandidateSet<Transport> transports;
  EnumSet<Transport> deterministic_transports = Transport::peer_load;
  /// Says that the bodies with an entry barrier can leave it out when the caller vouches for what it guards.
  bool entry_barrier_can_be_skipped = false;

  /// Refuses one combination of an algorithm and a transport that are both allowed alone.
  constexpr void refuse(Algorithm algorithm, Transport transport, char const* reason) {
    m_pairs[pair(algorithm, transport)] = reason;
  }
  constexpr char const* refusal(Algorithm algorithm, Transport transport) const {
    return m_pairs[pair(algorithm, transport)];
  }

 private:
  static constexpr std::size_t pair(Algorithm algorithm, Transport transport) {
    return static_cast<std::size_t>(algorithm) * enumerator_count<Transport> + static_cast<std::size_t>(transport);
  }

  std::array<char const*, enumerator_count<Algorithm> * enumerator_count<Transport>> m_pairs{};
};

/// Gives the largest message for which one-shot is taken where no table speaks. Starting points published for links
/// between peers (every rank's traffic grows with the ranks); a measured table replaces them.
constexpr std::int64_t one_shot_edge_bytes(std::int32_t ranks) {
  constexpr std::array<std::int64_t, 9> kib{0, 16384, 16384, 630, 280, 175, 126, 98, 80};
  return ranks <= 8 ? kib[static_cast<std::size_t>(ranks < 0 ? 0 : ranks)] * 1024 : 80 * 1024 * 8 / ranks;
}

}  // namespace Koinon
