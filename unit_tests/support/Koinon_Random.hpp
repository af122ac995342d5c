// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace Koinon::Testing {

/// Mixes all bits: the finalizer of splitmix64.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

/// Returns the random bits of element `index` of `rank`: any rank can compute any other rank's input.
constexpr std::uint64_t element_bits(std::uint64_t seed, int rank, std::size_t index) {
  return mixed(seed + static_cast<std::uint64_t>(rank) * 0xD1342543DE82EF95ull +
               (static_cast<std::uint64_t>(index) + 1) * 0x9E3779B97F4A7C15ull);
}

/// Draws numbers; the same on every rank that starts with the same seed.
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : m_state(seed) {}

  constexpr std::uint64_t next() { return mixed(m_state += 0x9E3779B97F4A7C15ull); }
  /// Returns a number of [0, n). @pre n > 0
  constexpr std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
  constexpr bool one_in(std::size_t n) { return below(n) == 0; }
  template <class T, std::size_t N>
  constexpr T const& pick(std::array<T, N> const& choices) {
    return choices[below(N)];
  }

 private:
  std::uint64_t m_state;
};

}  // namespace Koinon::Testing
