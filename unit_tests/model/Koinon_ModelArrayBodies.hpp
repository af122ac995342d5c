// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Koinon_ModelBlockWriter.hpp"

namespace Koinon::Impl {

/// Pulls with offsets; the ranks in mask `zero_copy` are read where their array is, the others stage.
void pull_mixed(BlockWriter& block, unsigned zero_copy);
/// Pulls between the masks `readers` and `sources`, without the exit words.
void pull_zero_copy(BlockWriter& block, unsigned readers, unsigned sources);
/// Sends exit words from `senders` to `sources`, which await them all.
void exit_zero_copy(BlockWriter& block, unsigned senders, unsigned sources);
/// Pulls from all ranks, while rank `idle` reads nothing.
void pull_with_idle_reader(BlockWriter& block, int idle);
/// Reduces the own chunk of all arrays and stores the result into all arrays.
void two_shot_in_place(BlockWriter& block);
/// Reduces everything into the own array.
void one_shot_in_place(BlockWriter& block);
/// Stores the own rows into borrowed memory of all peers.
void borrowed(BlockWriter& block);
/// Broadcasts a message in three rounds.
void rounds(BlockWriter& block, int root);
/// Pushes packets between all ranks but `who`.
void push_among_others(BlockWriter& block, int who);

}  // namespace Koinon::Impl
