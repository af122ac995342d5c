// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <device/Koinon_DeviceRank.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace Koinon::Testing {

/// Is a way of reducing: an algorithm, a transport, and enough elements to matter to it.
struct Way {
  Algorithm algorithm;
  Transport transport;
  std::size_t count;
};
/// Packets; staged; staged in rounds, over peers and over the emulated multicast.
inline constexpr Way ways[] = {{Algorithm::low_latency, Transport::automatic, 100},
                               {Algorithm::one_shot, Transport::peer_load, 5'000},
                               {Algorithm::two_shot, Transport::peer_load, 300'000},
                               {Algorithm::two_shot, Transport::multimem, 300'000}};

/// Calls all_reduce in that way.
inline void sum_by(Way const& way, DeviceRank const& rank, std::string_view label, std::span<float const> in,
                   std::span<float> out) {
  sum(label, require(rank.policy, Tuning{.algorithm = way.algorithm, .transport = way.transport}), in, out);
}

/// Returns 0 + 1 + ... + (ranks - 1).
inline float ranks_sum(int ranks) {
  return static_cast<float>(ranks * (ranks - 1) / 2);
}

}  // namespace Koinon::Testing
