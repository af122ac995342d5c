// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Operations.hpp>
#include <Koinon_Tuning.hpp>

#include <cstdint>
#include <type_traits>

namespace Koinon {

namespace Impl {

struct TraitBase {};

/// Declares what a trait is about. Every trait also has `tuning`, its run-time twin.
template <Category... Values>
struct Trait : TraitBase {
  static constexpr CategorySet categories{Values...};
};

constexpr bool is_power_of_two(std::int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

}  // namespace Impl

/// Tells traits from other types.
template <class T>
inline constexpr bool is_trait_v = std::is_base_of_v<Impl::TraitBase, T>;

template <class T>
concept PolicyTrait = is_trait_v<T>;

template <PolicyTrait Left, PolicyTrait Right>
constexpr bool operator==(Left const&, Right const&) {
  return std::is_same_v<Left, Right>;
}

// Algorithms.

/// Takes the algorithm from the tuning table.
struct Auto : Impl::Trait<Category::algorithm> {
  static constexpr Tuning tuning{};
};
/// Has every rank reduce everything.
struct OneShot : Impl::Trait<Category::algorithm> {
  static constexpr Tuning tuning{.algorithm = Algorithm::one_shot};
};
/// Has each rank reduce its chunk and store it to all.
struct TwoShot : Impl::Trait<Category::algorithm> {
  static constexpr Tuning tuning{.algorithm = Algorithm::two_shot};
};
/// Pushes packets that carry their own flag: no barrier, one trip.
struct LowLatency : Impl::Trait<Category::algorithm> {
  static constexpr Tuning tuning{.algorithm = Algorithm::low_latency};
};

// Transports.

/// Takes the transport from the tuning table.
struct AutoTransport : Impl::Trait<Category::transport> {
  static constexpr Tuning tuning{};
};
/// Loads and stores each peer's memory in turn, in rank order.
struct PeerLoad : Impl::Trait<Category::transport> {
  static constexpr Tuning tuning{.transport = Transport::peer_load};
};
/// Loads and stores all peers' memory by one multicast access.
struct Multimem : Impl::Trait<Category::transport> {
  static constexpr Tuning tuning{.transport = Transport::multimem};
};

// Geometry. A grid never exceeds the blocks that all ranks agreed on; where a trait asks for more the call is refused.

/// Takes the number of blocks from the tuning table.
struct AutoBlocks : Impl::Trait<Category::geometry> {
  static constexpr Tuning tuning{};
};
/// Launches N blocks.
template <std::int32_t N>
struct FixedBlocks : Impl::Trait<Category::geometry> {
  static_assert(N > 0, "Koinon::FixedBlocks: a launch has at least one block");
  static constexpr Tuning tuning{.geometry = Geometry::fixed_blocks, .blocks = N};
};
/// Launches the next power of two of ceil(elements / elements a block), within [Min, Max].
template <std::int32_t Min, std::int32_t Max>
struct ScaledBlocks : Impl::Trait<Category::geometry> {
  static_assert(Min > 0, "Koinon::ScaledBlocks: a launch has at least one block");
  static_assert(Min <= Max, "Koinon::ScaledBlocks: Min must not exceed Max");
  static constexpr Tuning tuning{.geometry = Geometry::scaled_blocks, .min_blocks = Min, .max_blocks = Max};
};
/// Cuts the data into tiles of that many elements, one block a tile as far as blocks are resident.
template <std::int32_t Elements>
struct OneTileABlock : Impl::Trait<Category::geometry, Category::tile> {
  static_assert(Elements > 0, "Koinon::OneTileABlock: a tile has at least one element");
  static constexpr Tuning tuning{.geometry = Geometry::one_tile_a_block, .tile_elements = Elements};
};
/// Gives a block a whole row, as far as blocks are resident; beside RowTiles it walks the row in such tiles.
struct OneRowABlock : Impl::Trait<Category::geometry> {
  static constexpr Tuning tuning{.geometry = Geometry::one_row_a_block};
};
/// Cuts each row into tiles of min(MaxElements, next power of two of the row); alone: one block a tile.
template <std::int32_t MaxElements>
struct RowTiles : Impl::Trait<Category::tile> {
  static_assert(Impl::is_power_of_two(MaxElements), "Koinon::RowTiles: MaxElements must be a power of two");
  static constexpr Tuning tuning{.row_tile_elements = MaxElements};
};
/// Makes a block of N threads.
template <std::int32_t N>
struct BlockThreads : Impl::Trait<Category::block_threads> {
  static_assert(N > 0, "Koinon::BlockThreads: a block has at least one thread");
  static constexpr Tuning tuning{.block_threads = N};
};

// Tiling of a thread.

/// Moves N bytes by one access of a thread.
template <std::int32_t N>
struct VectorBytes : Impl::Trait<Category::vector_bytes> {
  static_assert(Impl::is_power_of_two(N), "Koinon::VectorBytes: N must be a power of two");
  static constexpr Tuning tuning{.vector_bytes = N};
};
/// Has a thread load N vectors before it uses the first.
template <std::int32_t N>
struct VectorsInFlight : Impl::Trait<Category::vectors_in_flight> {
  static_assert(N > 0, "Koinon::VectorsInFlight: at least one vector is in flight");
  static constexpr Tuning tuning{.vectors_in_flight = N};
};

// Synchronization.

/// Keeps the entry barrier: no peer overwrites a result that this rank's earlier work still reads.
struct EntryBarrier : Impl::Trait<Category::entry_barrier> {
  static constexpr Tuning tuning{.entry_barrier = Entry::barrier};
};
/// Permits to leave the entry barrier out, where there is one and the operation can; else it changes nothing. Hazard:
/// the caller guarantees that no rank still reads the previous result, by a barrier of all ranks since the last read,
/// or because the only reader is the next skipping call. The previous collective's exit barrier is not enough: it ends
/// kernels, not the readers queued after them.
struct SkipEntryBarrier : Impl::Trait<Category::entry_barrier> {
  static constexpr Tuning tuning{.entry_barrier = Entry::skip};
};
/// Lets the launch begin while its producer drains; it waits for the producer before its first read. Ignored by devices
/// that cannot.
struct DependentLaunch : Impl::Trait<Category::dependent_launch> {
  static constexpr Tuning tuning{.dependent_launch = Switch::on};
};
/// Lets dependents begin right after that wait; implies DependentLaunch, takes at most half of the blocks, since the next
/// launch's are resident beside its own. Hazard: a later kernel launched dependent that does not itself wait for what is
/// before it reads results that are not there yet, and writes what this launch still reads. Ignored where DependentLaunch is,
/// and where all ranks agreed on one block only.
struct EarlyTrigger : Impl::Trait<Category::early_trigger> {
  static constexpr Tuning tuning{.early_trigger = Switch::on};
};

// Guarantees.

/// Promises the same bits for the same inputs whatever the geometry: the sum runs in rank order.
struct Deterministic : Impl::Trait<Category::determinism> {
  static constexpr Tuning tuning{};
};

}  // namespace Koinon
