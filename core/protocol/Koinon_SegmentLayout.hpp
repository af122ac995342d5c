// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>

#include <cstddef>
#include <cstdint>

namespace Koinon::Impl {

/// Is what one peer writes for one block of this rank in one parity of the launch number: one cache line, one writer.
///
/// Every word carries the launch number and is compared with ==; the first-store rule guards its reuse.
struct alignas(64) PeerWords {
  std::uint64_t source;       // {number, where the peer's source is}: the source is readable (release)
  std::uint64_t destination;  // {number, where the peer's destination is}: it may be written
  std::uint64_t ready;        // {number, round}: the peer staged its round and finished the one before (release)
  std::uint64_t done;         // {number, round}: the peer stored its share of the round's result (release)
  std::uint32_t exit;         // number: the peer no longer reads this rank's source
  std::uint32_t arrived;      // number: the peer entered a barrier (release)
  std::uint64_t call;         // low half of the hash of the call, with KOINON_CHECK
  std::uint64_t call_number;  // {number, high half of the hash} (release of `call`)
};
static_assert(sizeof(PeerWords) == 64);

/// Is the one word that a peer writes in every launch; alone in its line, since this rank polls it.
struct alignas(64) StartedWord {
  std::uint32_t number;
};

/// Says where a rank has what its users' kernels signal and send with, in bytes from the begin of that region.
struct UserLayout {
  static constexpr int slots = 64;                   // of signals, and of packets, for every two ranks
  static constexpr std::size_t packet_bytes = 16;    // at most, flag included
  std::size_t signals = 0;                           // written by peers: number of signals [ranks][slots]
  std::size_t arrivals = 0;                          // written by peers: number of barriers [ranks][max_blocks]
  std::size_t packets = 0;                           // written by peers: [2][ranks][slots]
  std::size_t signalled = 0;                         // the rank's own counts, [ranks][slots] each
  std::size_t waited = 0;
  std::size_t sent = 0;
  std::size_t received = 0;
  std::size_t barriers = 0;                          // [max_blocks]
  std::size_t bytes = 0;

  constexpr UserLayout() = default;
  KOINON_FORCE_INLINE constexpr UserLayout(int ranks, int max_blocks) {
    auto const r = static_cast<std::size_t>(ranks);
    auto const b = static_cast<std::size_t>(max_blocks);
    constexpr auto s = static_cast<std::size_t>(slots);
    packets = 0;
    signals = packets + 2 * r * s * packet_bytes;
    arrivals = signals + r * s * 4;
    signalled = arrivals + r * b * 4;
    waited = signalled + r * s * 4;
    sent = waited + r * s * 4;
    received = sent + r * s * 4;
    barriers = received + r * s * 4;
    bytes = barriers + b * 4;
  }
};

/// Says where everything lies in a rank's segment, in bytes from its start; the same on every rank.
///
/// Flag positions are fixed for ever: words, packets, staging and symmetric memory never share bytes.
struct SegmentLayout {
  static constexpr std::size_t backend_bytes = 4096;

  int ranks = 0;
  int max_blocks = 0;
  std::size_t started = 0;            // StartedWord [ranks]
  std::size_t words = 0;              // PeerWords [2 parities][max_blocks][ranks]
  std::size_t packets = 0;            // [2 halves][ranks][packet_slot_bytes]
  std::size_t packet_slot_bytes = 0;  // what one source rank may send in one launch, flags included
  std::size_t sentinels = 0;          // [2 halves][ranks][sentinel_slot_bytes], of a backend that has them: all ones
  std::size_t sentinel_slot_bytes = 0;
  std::size_t staging = 0;            // [2 halves][2 parts][part_bytes]: rounds take turns
  std::size_t part_bytes = 0;
  std::size_t backend = 0;            // backend_bytes of the backend's own; a wrap leaves them alone
  std::size_t user = 0;               // UserLayout; a wrap leaves it alone
  std::size_t symmetric = 0;
  std::size_t symmetric_bytes = 0;
  std::size_t bytes = 0;              // of the whole segment

  [[nodiscard]] KOINON_FORCE_INLINE std::size_t part(int half, int part) const {
    return staging + static_cast<std::size_t>(half * 2 + part) * part_bytes;
  }
};

/// Lays out a segment. Pure: ranks that agree on the arguments agree on every position.
/// @param has_sentinels room for data that is its own flag: as much as for staging
/// @pre ranks >= 1, max_blocks >= 1, staging_bytes >= 64 KiB
inline SegmentLayout make_segment_layout(int ranks, int max_blocks, std::size_t staging_bytes, std::size_t symmetric_bytes,
                                         bool has_sentinels = false) {
  constexpr std::size_t line = 64;
  constexpr std::size_t page = 4096;
  auto const up = [](std::size_t n, std::size_t to) { return (n + to - 1) / to * to; };
  std::size_t const r = static_cast<std::size_t>(ranks);
  SegmentLayout layout;
  layout.ranks = ranks;
  layout.max_blocks = max_blocks;
  layout.started = 0;
  layout.words = layout.started + r * sizeof(StartedWord);
  layout.packets = up(layout.words + 2 * static_cast<std::size_t>(max_blocks) * r * sizeof(PeerWords), page);
  // A quarter of the staging size again for packets: with few ranks 128 KiB a source, or more with much staging; never
  // less than 4 KiB.
  constexpr std::size_t usual = std::size_t{128} << 10;
  std::size_t const most = staging_bytes / 32 > usual ? staging_bytes / 32 / line * line : usual;
  std::size_t slot = staging_bytes / 4 / (2 * r) / line * line;
  if (slot > most) slot = most;
  if (slot < page) slot = page;
  layout.packet_slot_bytes = slot;
  layout.sentinels = up(layout.packets + 2 * r * slot, page);
  layout.sentinel_slot_bytes = has_sentinels ? staging_bytes / (2 * r) / page * page : 0;
  layout.staging = layout.sentinels + 2 * r * layout.sentinel_slot_bytes;
  layout.part_bytes = staging_bytes / 4 / line * line;
  layout.backend = up(layout.staging + 4 * layout.part_bytes, page);
  layout.user = layout.backend + SegmentLayout::backend_bytes;
  layout.symmetric = layout.user + up(UserLayout(ranks, max_blocks).bytes, page);
  layout.symmetric_bytes = up(symmetric_bytes, page);
  layout.bytes = layout.symmetric + layout.symmetric_bytes;
  return layout;
}

}  // namespace Koinon::Impl
