// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Tuning.hpp>

#include <cstdint>

namespace Koinon {

/// Holds what kernels are instantiated on; automatic and 0 leave the choice to run time.
struct Selector {
  Algorithm algorithm = Algorithm::automatic;
  Transport transport = Transport::automatic;
  std::int32_t block_threads = 0;

  friend constexpr bool operator==(Selector const&, Selector const&) = default;
};

/// Carries a selector as a type: kernels take this and never the policy's type, so that the order of traits, and traits
/// that do not change code, give one kernel. (A struct as a template argument of a kernel is refused by some device
/// compilers: here are its fields.)
template <Algorithm AlgorithmValue, Transport TransportValue, std::int32_t Threads>
struct KernelSelector {
  static constexpr Selector selector{AlgorithmValue, TransportValue, Threads};
};

/// Gives what a tuning fixes of a kernel.
constexpr Selector selector_of(Tuning const& tuning) {
  return {tuning.algorithm, tuning.transport, tuning.block_threads};
}

}  // namespace Koinon
