// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Koinon_ModelBlockWriter.hpp"

namespace Koinon::Impl {

/// Gives the own data to the ranks in mask `readers` as sentinels.
void sentinels(BlockWriter& block, unsigned readers);
/// Gives every rank its share as sentinels, and the results of the own share to all.
void sentinels_two_shot(BlockWriter& block);
/// Gives every rank its piece of three rounds by stores; the entry words vouch for the first one.
void push_exchange(BlockWriter& block);
/// Gives every rank its share of three rounds by stores, and, fanned out, the results of the own share to all.
void push_rounds(BlockWriter& block, bool fans_out);
/// Does so in one round, the results straight into the arrays of all.
void push_direct(BlockWriter& block);
/// Meets all ranks.
void barrier(BlockWriter& block);

}  // namespace Koinon::Impl
