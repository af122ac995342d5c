// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>

#include <cstddef>
#include <cstdint>

namespace Koinon::Impl {

/// Is a half-open range of element indices.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] KOINON_FORCE_INLINE std::size_t size() const { return end - begin; }
};

KOINON_FORCE_INLINE constexpr std::size_t smaller(std::size_t a, std::size_t b) { return a < b ? a : b; }

/// Divides and rounds up. A division of 32 bits takes a GPU a fifth of one of 64.
KOINON_FORCE_INLINE std::size_t divided_up(std::size_t n, std::size_t by) {
  std::size_t const above = n + by - 1;
  if (((above | by) >> 32) == 0) return static_cast<std::uint32_t>(above) / static_cast<std::uint32_t>(by);
  return above / by;
}

/// Returns part `index` of `parts` of a range, cut at multiples of `grain` from its begin; the last parts may be empty.
KOINON_FORCE_INLINE Range part_of(Range whole, int index, int parts, std::size_t grain) {
  std::size_t const grains = (whole.size() + grain - 1) / grain;
  std::size_t const share = divided_up(grains, static_cast<std::size_t>(parts)) * grain;
  std::size_t const begin = smaller(static_cast<std::size_t>(index) * share, whole.size());
  std::size_t const end = smaller(begin + share, whole.size());
  return {whole.begin + begin, whole.begin + end};
}

/// Returns the round-th piece of at most `length` elements of a range; empty past its end.
KOINON_FORCE_INLINE Range piece_of(Range whole, std::size_t round, std::size_t length) {
  std::size_t const begin = smaller(round * length, whole.size());
  return {whole.begin + begin, whole.begin + smaller(begin + length, whole.size())};
}

/// Returns how many rounds a range takes, at least one: an empty slice takes part too.
KOINON_FORCE_INLINE std::uint32_t rounds_of(Range slice, std::size_t length) {
  std::size_t const rounds = divided_up(slice.size(), length);
  return rounds > 0 ? static_cast<std::uint32_t>(rounds) : 1u;
}

}  // namespace Koinon::Impl
