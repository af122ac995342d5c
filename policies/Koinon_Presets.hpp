// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Request.hpp>

#include <cstdint>

/// The seed system's launch geometries by name, each a Tuning. A backend whose warps are not of 32 threads names its
/// own.
namespace Koinon::Presets {

template <std::int32_t Warps, std::int32_t WarpThreads>
using BlockWarps = BlockThreads<Warps * WarpThreads>;

inline constexpr Tuning all_gather = tuning_of<FixedBlocks<4>, BlockThreads<1024>>();
inline constexpr Tuning all_gather_columns = all_gather;
inline constexpr Tuning reduce_scatter = tuning_of<ScaledBlocks<4, 32>, BlockThreads<1024>>();
template <std::int32_t WarpThreads = 32>
inline constexpr Tuning peer_load = tuning_of<OneTileABlock<1024>, BlockWarps<4, WarpThreads>>();
template <std::int32_t WarpThreads = 32>
inline constexpr Tuning norm = tuning_of<OneRowABlock, BlockWarps<8, WarpThreads>>();
template <std::int32_t WarpThreads = 32>
inline constexpr Tuning shards_to_rows = tuning_of<RowTiles<1024>, BlockWarps<4, WarpThreads>>();
template <std::int32_t WarpThreads = 32>
inline constexpr Tuning all_gather_multiple = tuning_of<OneRowABlock, RowTiles<1024>, BlockWarps<1, WarpThreads>>();
template <std::int32_t WarpThreads = 32>
inline constexpr Tuning barrier = tuning_of<FixedBlocks<1>, BlockWarps<1, WarpThreads>>();

}  // namespace Koinon::Presets
