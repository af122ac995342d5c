// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <protocol/Koinon_Partition.hpp>

#include <cstddef>
#include <cstdint>

namespace Koinon::Impl {

/// Says which elements of the whole belong to which rank: share p is offsets[p] .. offsets[p + 1].
///
/// Even shares are computed; given ones point to the communicator's copy of the counts; with an owner, one rank has all
/// (a broadcast is an all_gather of the root's rows, a reduce is a reduce_scatter to the root).
struct Shares {
  std::size_t const* offsets = nullptr;  // [ranks + 1] elements; null: even
  std::size_t rows = 0;                  // of all ranks
  std::size_t row_elements = 1;
  int ranks = 1;
  int owner = -1;

  [[nodiscard]] KOINON_FORCE_INLINE Range of(int rank) const {
    if (offsets != nullptr) return {offsets[rank], offsets[rank + 1]};
    if (owner >= 0) return {rank > owner ? rows * row_elements : 0, rank >= owner ? rows * row_elements : 0};
    std::size_t const r = static_cast<std::size_t>(rank);
    std::size_t const n = static_cast<std::size_t>(ranks);
    std::size_t const each = rows / n;
    std::size_t const more = rows % n;
    std::size_t const begin = r * each + smaller(r, more);
    return {begin * row_elements, (begin + each + (r < more ? 1 : 0)) * row_elements};
  }

  /// Returns the number of elements of the longest share.
  [[nodiscard]] KOINON_FORCE_INLINE std::size_t longest() const {
    if (offsets == nullptr) return owner >= 0 ? rows * row_elements : of(0).size();
    std::size_t most = 0;
    for (int p = 0; p < ranks; ++p) most = of(p).size() > most ? of(p).size() : most;
    return most;
  }
};

/// Returns in how many rounds every rank's slice of every share is done; the same for all blocks and ranks.
template <class Block>
[[nodiscard]] KOINON_FORCE_INLINE std::uint32_t rounds_of_shares(Shares const& shares, Block const& block,
                                                                 std::size_t grain, std::size_t round_elements) {
  // Block 0's slice of the longest: a last block may have more of a shorter share than of the longest.
  return rounds_of(part_of({0, shares.longest()}, 0, block.count(), grain), round_elements);
}

}  // namespace Koinon::Impl
