// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Error.hpp>
#include <communicator/Koinon_SymmetricHeap.hpp>
#include <protocol/Koinon_SegmentLayout.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace Koinon::Impl {
namespace {

TEST(SegmentLayout, RegionsFollowEachOtherAndNeverShareAByte) {
  for (int const ranks : {1, 2, 3, 8, 33}) {
    for (int const blocks : {1, 3, 64}) {
      for (int turn = 0; turn < 4; ++turn) {
        std::size_t const staging = turn % 2 == 0 ? std::size_t{64} << 10 : std::size_t{4} << 20;
        SegmentLayout const l = make_segment_layout(ranks, blocks, staging, 1000, turn > 1);
        auto const r = static_cast<std::size_t>(ranks);
        EXPECT_GE(l.words, l.started + r * sizeof(StartedWord));
        EXPECT_GE(l.packets, l.words + 2 * static_cast<std::size_t>(blocks) * r * sizeof(PeerWords));
        EXPECT_GE(l.sentinels, l.packets + 2 * r * l.packet_slot_bytes);
        EXPECT_GE(l.staging, l.sentinels + 2 * r * l.sentinel_slot_bytes);
        EXPECT_LE(2 * r * l.sentinel_slot_bytes, turn > 1 ? staging : 0);
        EXPECT_GE(l.backend, l.staging + 4 * l.part_bytes);
        EXPECT_GE(l.user, l.backend + SegmentLayout::backend_bytes);
        EXPECT_GE(l.symmetric, l.user + UserLayout(ranks, blocks).bytes);
        EXPECT_GE(l.bytes, l.symmetric + 1000);
        EXPECT_LE(4 * l.part_bytes, staging);
        for (std::size_t const offset :
             {l.words, l.packets, l.packet_slot_bytes, l.sentinels, l.sentinel_slot_bytes, l.staging, l.part_bytes, l.user, l.symmetric}) {
          EXPECT_EQ(offset % 64, 0u);
        }
        EXPECT_EQ(l.symmetric % 4096, 0u);
      }
    }
  }
}

TEST(UserLayout, HasRoomForEverySlotOfEveryTwoRanks) {
  for (int const ranks : {1, 3, 64}) {
    for (int const blocks : {1, 7}) {
      UserLayout const u(ranks, blocks);
      std::size_t const slots = static_cast<std::size_t>(ranks) * UserLayout::slots;
      EXPECT_EQ(u.packets % 16, 0u);
      EXPECT_GE(u.signals, u.packets + 2 * slots * UserLayout::packet_bytes);
      EXPECT_GE(u.arrivals, u.signals + 4 * slots);
      EXPECT_GE(u.signalled, u.arrivals + 4 * static_cast<std::size_t>(ranks * blocks));
      EXPECT_GE(u.waited, u.signalled + 4 * slots);
      EXPECT_GE(u.sent, u.waited + 4 * slots);
      EXPECT_GE(u.received, u.sent + 4 * slots);
      EXPECT_GE(u.barriers, u.received + 4 * slots);
      EXPECT_GE(u.bytes, u.barriers + 4 * static_cast<std::size_t>(blocks));
    }
  }
}

TEST(SymmetricHeap, GivesDisjointAlignedBlocksAndTheSameOnesForTheSameCalls) {
  SymmetricHeap a(4096, 1 << 16);
  SymmetricHeap b(4096, 1 << 16);
  std::size_t end = 0;
  for (std::size_t const bytes : {0, 1, 255, 256, 257, 5000}) {
    std::size_t const at = a.allocate(bytes, "x");
    EXPECT_EQ(at, b.allocate(bytes, "y"));
    EXPECT_EQ(at % SymmetricHeap::alignment, 0u);
    EXPECT_GE(at, end);
    end = at + bytes;
  }
}

TEST(SymmetricHeap, FillsTheFirstGapThatFitsAndIsWholeAgainAfterAllAreFreed) {
  SymmetricHeap heap(0, 4096);
  std::size_t const first = heap.allocate(600, "a");
  std::size_t const second = heap.allocate(600, "b");
  heap.free(first);
  EXPECT_EQ(heap.allocate(300, "c"), first);
  heap.free(first);
  heap.free(second);
  EXPECT_EQ(heap.used_bytes(), 0u);
  EXPECT_EQ(heap.allocate(3000, "d"), 0u);
}

TEST(SymmetricHeap, SaysWhatWasAskedAndWhatThereIsWhenItIsExhausted) {
  SymmetricHeap heap(0, 4096);
  (void)heap.allocate(1000, "first");
  for (std::size_t const bytes : {std::size_t{4000}, ~std::size_t{0}, ~std::size_t{0} - 300}) {
    try {
      (void)heap.allocate(bytes, "greedy");
      ADD_FAILURE() << bytes;
    } catch (ResourceError const& e) {
      std::string const text = e.what();
      for (std::string const& word : {std::string("`greedy`"), std::to_string(bytes), std::string("1024 of 4096")}) {
        EXPECT_NE(text.find(word), std::string::npos) << text;
      }
    }
  }
}

}  // namespace
}  // namespace Koinon::Impl
