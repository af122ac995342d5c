// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <protocol/Koinon_Partition.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace Koinon::Impl {

/// Says which elements of the whole belong to which rank.
///
/// Even shares are computed; given ones are offsets, share p is offset(p) .. offset(p + 1); with an owner, one rank has all
/// (a broadcast is an all_gather of the root's rows, a reduce is a reduce_scatter to the root). The offsets travel with the
/// arguments of a launch, so a captured call keeps those of its capture; of very many ranks they lie with the communicator.
struct Shares {
  static constexpr int most_carried = 64;

  std::size_t rows = 0;  // of all ranks
  std::size_t row_elements = 1;
  int ranks = 1;
  int owner = -1;
  bool given = false;
  std::size_t each = 0;     // elements of an even share; of the first `more` ones a row more
  std::size_t more = 0;
  std::size_t longest = 0;  // elements of the longest share
  std::size_t const* kept = nullptr;      // [ranks + 1] elements, of more than most_carried ranks
  std::size_t carried[most_carried + 1];  // [ranks + 1] elements, if given

  Shares() {}  // NOLINT(modernize-use-equals-default): `= default` would clear the offsets in `Shares{}`

  // Each says it anew; in place, since a copy would carry room for offsets.
  void divide_evenly(std::size_t rows_of_all, std::size_t elements_of_row, int of_ranks) {
    rows = rows_of_all;
    row_elements = elements_of_row;
    ranks = of_ranks;
    owner = -1;
    given = false;
    // Here, not in kernels: a division of 64 bits takes a GPU a hundred instructions.
    each = rows / static_cast<std::size_t>(ranks) * row_elements;
    more = rows % static_cast<std::size_t>(ranks);
    longest = each + (more > 0 ? row_elements : 0);
  }
  void give_all_to(int rank, std::size_t elements, int of_ranks) {
    divide_evenly(elements, 1, of_ranks);
    owner = rank;
    longest = elements;
  }
  /// Takes the rows of each rank, behind divide_evenly. @param room [ranks + 1] that outlive the launch, for more than most_carried ranks
  void give(std::span<std::int64_t const> counts, std::size_t* room) {
    std::size_t* const offsets = ranks <= most_carried ? carried : room;
    kept = ranks <= most_carried ? nullptr : room;
    given = true;
    offsets[0] = 0;
    longest = 0;
    for (std::size_t p = 0; p < counts.size(); ++p) {
      std::size_t const elements = static_cast<std::size_t>(counts[p]) * row_elements;
      offsets[p + 1] = offsets[p] + elements;
      longest = elements > longest ? elements : longest;
    }
  }

  [[nodiscard]] KOINON_FORCE_INLINE std::size_t offset(int rank) const {
    return kept != nullptr ? kept[rank] : carried[rank];
  }
  [[nodiscard]] KOINON_FORCE_INLINE Range of(int rank) const {
    if (given) return {offset(rank), offset(rank + 1)};
    if (owner >= 0) return {rank > owner ? rows * row_elements : 0, rank >= owner ? rows * row_elements : 0};
    std::size_t const r = static_cast<std::size_t>(rank);
    std::size_t const begin = r * each + smaller(r, more) * row_elements;
    return {begin, begin + each + (r < more ? row_elements : 0)};
  }
};

/// Returns in how many rounds every rank's slice of every share is done; the same for all blocks and ranks.
template <class Block>
[[nodiscard]] KOINON_FORCE_INLINE std::uint32_t rounds_of_shares(Shares const& shares, Block const& block,
                                                                 std::size_t grain, std::size_t round_elements) {
  // Block 0's slice of the longest: a last block may have more of a shorter share than of the longest.
  return rounds_of(part_of({0, shares.longest}, 0, block.count(), grain), round_elements);
}

}  // namespace Koinon::Impl
