// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Koinon_ModelProgram.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace Koinon::Impl {

/// Names the kinds of launch: every way in which the collectives use staging, words, arrays and borrowed memory.
enum class Kind : unsigned {
  push_all,             ///< every rank pushes packets to all
  push_unread,          ///< the same, but only rank `who` reads its packets
  push_plain,           ///< plain data into the peers' staging, then a signal
  push_among_others,    ///< as push_all, without rank `who`
  staged_pull,          ///< every rank stages and signals, then pulls
  staged_pull_without,  ///< the same, with an empty share of rank `who`
  broadcast,            ///< root `who` pushes
  reduce_pull,          ///< root `who` pulls what the others staged
  reduce_push,          ///< all push to root `who`
  gather_without,       ///< as push_all, with an empty share of rank `who`
  two_shot_push,        ///< scatter, reduce, fan out
  two_shot_one_owner,   ///< the same, with all rows at rank `who`
  nothing,              ///< all counts are zero
  pull_mixed,           ///< pull with offsets; the ranks in mask `who` are zero-copy, the others stage
  pull_idle_reader,     ///< zero-copy pull in which rank `who` reads nothing
  pull_unread,          ///< zero-copy pull in which nobody reads rank `who`
  reduce_zero_copy,     ///< only root `who` reads
  two_shot_in_place,    ///< zero-copy: each rank reduces its chunk and stores it into all arrays
  one_shot_in_place,    ///< every rank reduces everything into the array that it contributed
  borrowed,             ///< all_gather into borrowed memory, behind an entry barrier
  rounds,               ///< root `who` broadcasts a message of three times half of the staging
  barrier,              ///< signals of all to all
  sentinels,            ///< every rank gives data that is its own flag to all; from here on kinds of GPUs only
  sentinels_to_one,     ///< the same, to rank `who`
  sentinels_two_shot,   ///< contributions to their owners, results to all, both as sentinels
  push_exchange,        ///< pieces of three rounds to their readers' staging
  push_scatter,         ///< contributions of three rounds to their owners' staging
  push_reduce,          ///< the same, and the results to the staging of all
  push_direct,          ///< one round, the results straight into the arrays of all
  count
};

inline constexpr Kind first_kind_of_gpus = Kind::sentinels;

/// Is one launch of a sequence.
struct Launch {
  Kind kind;
  int who = 0;  ///< root, odd rank, or mask of ranks
  int blocks = 1;
  bool operator==(Launch const&) const = default;
};

using Sequence = std::vector<Launch>;

/// Returns `kind:who/blocks`, as parse_launch() reads it.
std::string text_of(Launch const& launch);
std::string text_of(Sequence const& sequence);
std::optional<Sequence> parse_sequence(std::string_view text);
/// Lists all kinds.
std::vector<Kind> all_kinds();
/// Lists every launch of the named kinds (those of every backend for an empty list) with 1 to `most_blocks` blocks.
std::vector<Launch> make_menu(std::vector<Kind> const& kinds, int ranks, int most_blocks);
/// Returns the launch with every rank r replaced by r + 1.
Launch rotated(Launch const& launch, int ranks);

/// Writes the steps of all ranks for a sequence.
Program make_program(Setting const& setting, Sequence const& sequence);

/// Writes the body of one launch; see Koinon_ModelBodies.cpp.
class BlockWriter;
void write_body(BlockWriter& block, Launch const& launch);
/// Says whether the rank has nothing to do in the launch.
bool is_idle(Launch const& launch, int rank);
/// Says whether peers read the rank's own array in the launch, or its kernel writes the result into it.
bool uses_array(Launch const& launch, int rank);
/// Says whether the launch leaves its result in the array that it read.
bool is_in_place(Launch const& launch);

}  // namespace Koinon::Impl
