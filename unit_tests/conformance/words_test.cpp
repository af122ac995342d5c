// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <conformance/Koinon_Vocabularies.hpp>

#include <cstdint>
#include <thread>
#include <vector>

namespace Koinon::Testing {
namespace {

template <class Vocabulary>
class Words : public ::testing::Test {};
TYPED_TEST_SUITE(Words, Vocabularies, VocabularyName);

constexpr int turns = 2000;

/// A word in symmetric memory, alone in its line.
template <class Word>
struct alignas(64) Line {
  Word word;
};

template <class Word, class Order, class Block>
void expect_round_trip() {
  Line<Word> line{};
  Word const value = static_cast<Word>(0xF123456789ABCDEFull);
  Block::store(&line.word, value, Order{});
  EXPECT_EQ(Block::load(&line.word, Order{}), value);
  EXPECT_EQ(Block::load(&line.word, Relaxed{}), value);
}

TYPED_TEST(Words, AreReadAsTheyWereStoredInEachWidthAndOrder) {
  using Block = typename TypeParam::Block;
  expect_round_trip<std::uint32_t, Relaxed, Block>();
  expect_round_trip<std::uint32_t, AcquireRelease, Block>();
  expect_round_trip<std::uint64_t, Relaxed, Block>();
  expect_round_trip<std::uint64_t, AcquireRelease, Block>();
}

TYPED_TEST(Words, RelaxedStoresOfOneWriterAreSeenInTheirOrderAndWhole) {
  using Block = typename TypeParam::Block;
  TypeParam::on_ranks(2, [](auto& communicator, Block const&) {
    auto const line = symmetric_array<Line<std::uint64_t>, 1>(communicator, 1);
    auto* const own = &line(0).word;
    if (communicator.rank() == 0) {
      auto* const at = communicator.device().peer_pointer(1, own);
      for (std::uint64_t i = 1; i <= turns; ++i) Block::store(at, i << 32 | i, Relaxed{});
      return;
    }
    for (std::uint64_t last = 0; (last >> 32) < turns;) {
      std::uint64_t const seen = Block::load(own, Relaxed{});
      ASSERT_EQ(seen >> 32, seen & 0xFFFFFFFFu);
      ASSERT_GE(seen, last);
      last = seen;
    }
  });
}

/// The message passing that every wait relies on: plain data before a release is there after the acquire. Under
/// ThreadSanitizer this is a race unless both orders are real.
TYPED_TEST(Words, AReleaseIsAcquiredWithTheDataThatWasWrittenBefore) {
  using Block = typename TypeParam::Block;
  TypeParam::on_ranks(2, [](auto& communicator, Block const&) {
    constexpr std::size_t count = 500;
    auto const data = symmetric_array<int, 1>(communicator, count);
    auto const flags = symmetric_array<Line<std::uint32_t>, 1>(communicator, 2);
    DeviceCommunicator const& device = communicator.device();
    int const peer = 1 - communicator.rank();
    auto* const there = device.peer_pointer(peer, data.data());
    for (std::uint32_t turn = 1; turn <= 200; ++turn) {
      if ((turn & 1u) == static_cast<std::uint32_t>(communicator.rank())) {
        for (std::size_t i = 0; i < count; ++i) there[i] = static_cast<int>(turn + i);
        Block::store(device.peer_pointer(peer, &flags(0).word), turn, AcquireRelease{});
      } else {
        while (Block::load(&flags(0).word, AcquireRelease{}) != turn) std::this_thread::yield();
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(data(i), static_cast<int>(turn + i));
      }
    }
  });
}

TYPED_TEST(Words, AStartedWordPublishesWhatTheLaunchBeforeRead) {
  using Block = typename TypeParam::Block;
  TypeParam::on_ranks(2, [](auto& communicator, Block const&) {
    auto const data = symmetric_array<int, 1>(communicator, 1);
    auto const flags = symmetric_array<Line<std::uint32_t>, 1>(communicator, 1);
    DeviceCommunicator const& device = communicator.device();
    if (communicator.rank() == 0) {
      int const seen = data(0);  // a read that the peer may overwrite once it sees the word
      EXPECT_EQ(seen, 0);
      Block::store_started(device.peer_pointer(1, &flags(0).word), 1);
    } else {
      while (Block::load_started(&flags(0).word) != 1) std::this_thread::yield();
      *device.peer_pointer(0, data.data()) = 7;
    }
  });
}

TYPED_TEST(Words, ClearZeroesTheBytesAndNoOthers) {
  using Block = typename TypeParam::Block;
  for (std::size_t const bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{4096}}) {
    std::vector<std::byte> memory(5000, std::byte{0xFF});
    Block::clear(memory.data() + 1, bytes);
    EXPECT_EQ(memory.front(), std::byte{0xFF});
    for (std::size_t i = bytes + 1; i < memory.size(); ++i) ASSERT_EQ(memory[i], std::byte{0xFF}) << bytes;
    for (std::size_t i = 1; i <= bytes; ++i) ASSERT_EQ(memory[i], std::byte{0}) << bytes;
  }
}

TYPED_TEST(Words, EachBlockHasScratchOfItsOwnForFourWordsARank) {
  using Block = typename TypeParam::Block;
  TypeParam::on_ranks(3, [](auto& communicator, Block const& block) {
    std::uint64_t* const scratch = block.scratch(communicator.device());
    for (std::uint64_t i = 0; i < 12; ++i) scratch[i] = i;
    for (std::uint64_t i = 0; i < 12; ++i) EXPECT_EQ(scratch[i], i);
    for (int b = 1; b < communicator.max_blocks(); ++b) {
      EXPECT_GE(Block(b, communicator.max_blocks()).scratch(communicator.device()), scratch + 12);
    }
  });
}

}  // namespace
}  // namespace Koinon::Testing
