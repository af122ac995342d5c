// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_Arena.hpp>
#include <collectives/Koinon_NormOracle.hpp>
#include <support/Koinon_ExecutionSpaces.hpp>
#include <support/Koinon_RankRunner.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace Koinon::Testing {

enum class Quantized { no, by_one_scale, by_group_scales };

/// Says which fields of RmsNorm a family of cases has, and their element types; residual and residual_out are one array
/// where a case says in place, and so are in and norm_out.
template <class InElement, class ResidualElement, class WeightElement, class OutElement, bool HasResidual, bool HasNorm,
          Quantized Fp8, bool HasOwn>
struct NormFields {
  using In = InElement;
  using Residual = ResidualElement;
  using Weight = WeightElement;
  using Out = OutElement;
  static constexpr bool residual = HasResidual;
  static constexpr bool norm = HasNorm;
  static constexpr Quantized quantized = Fp8;
  static constexpr bool own = HasOwn;
};

struct NormCase {
  Operation operation = Operation::all_reduce;
  Algorithm algorithm = Algorithm::automatic;
  Transport transport = Transport::automatic;
  std::size_t rows = 1;
  std::size_t columns = 8;
  std::vector<std::int64_t> counts = {};  // of a reduce_scatter; empty: even
  std::size_t pad = 0;               // elements between rows
  std::size_t shift = 0;             // elements off alignment
  bool symmetric = false;
  bool in_place = false;
  bool own_residual = false;
  bool column_major = false;
  float weight_offset = 0.0f;
  int max_blocks = 0;

  [[nodiscard]] std::string text() const {
    return std::string(to_string(operation)) + " " + std::string(to_string(algorithm)) + " by " +
           std::string(to_string(transport)) + " [" + std::to_string(rows) + ", " + std::to_string(columns) + "]" + (symmetric ? " symmetric" : "") + (in_place ? " in place" : "") +
           (own_residual ? " own residual" : "") + (column_major ? " column-major" : "") + " pad " + std::to_string(pad) +
           " shift " + std::to_string(shift) + " blocks " + std::to_string(max_blocks) + (counts.empty() ? "" : " counts");
  }
};

/// Is what a case has of a rank: its rows' results, as bits that all geometries and algorithms must give alike.
using NormBits = std::vector<std::byte>;

/// Is one rank's communicator with memory for cases.
template <class Space>
class NormSession {
 public:
  NormSession(Bootstrap& bootstrap, Space const& space)
      : m_bootstrap(bootstrap),
        m_communicator(space, bootstrap, {.staging_bytes = std::size_t{2} << 20, .symmetric_bytes = std::size_t{1} << 20,
                                          .timeout = std::chrono::seconds(120)}),
        m_policy(space, m_communicator),
        m_memory(make_space_memory(space)),
        m_arena(m_memory.get()),
        m_symmetric(symmetric_array<std::byte, 1>(m_communicator, std::size_t{900} << 10).data()) {}

  [[nodiscard]] int rank() const { return m_communicator.rank(); }
  [[nodiscard]] int size() const { return m_communicator.size(); }
  [[nodiscard]] auto const& policy() const { return m_policy; }
  [[nodiscard]] bool has_multicast() const {
    return m_communicator.state()->facts().capabilities.contains(Capability::multimem);
  }
  [[nodiscard]] Arena& arena() { return m_arena; }
  /// Keeps the next case's call in a graph: it, and those behind it, are replays of that, until `keep` is false. All have
  /// that case's shapes. @pre the space's memory can record
  void replay_calls(bool keep) {
    m_replays = keep;
    m_bootstrap.barrier();  // no capture ends and no graph goes while a kernel waits
    m_recording.reset();
    m_bootstrap.barrier();
  }
  /// Returns why the last case that did not run did not.
  [[nodiscard]] std::string const& refusal() const { return m_refusal; }

  /// Runs a case, checks every output against the oracle and the guards, and returns the bits of the outputs; none where
  /// the case cannot run, which can_run has said.
  template <class Fields>
  NormBits run(NormCase const& c, std::uint64_t seed);

 private:
  [[nodiscard]] SpaceMemory const* memory() const { return m_memory.get(); }
  template <class F>
  void make(F const& call) {
    if (!m_replays) return call();
    if (!m_recording) {
      m_bootstrap.barrier();
      m_recording = m_memory->record(call);
      m_bootstrap.barrier();
    }
    m_recording->replay();
  }

  Bootstrap& m_bootstrap;
  Communicator<Space> m_communicator;
  decltype(CollectivePolicy(std::declval<Space const&>(), std::declval<Communicator<Space> const&>())) m_policy;
  std::unique_ptr<SpaceMemory const> m_memory;
  Arena m_arena;
  std::byte* m_symmetric;
  std::string m_refusal;
  bool m_replays = false;
  std::unique_ptr<Recording const> m_recording;
};

}  // namespace Koinon::Testing
