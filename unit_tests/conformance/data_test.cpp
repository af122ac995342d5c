// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <conformance/Koinon_Vocabularies.hpp>
#include <support/Koinon_Oracle.hpp>
#include <support/Koinon_Random.hpp>

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

namespace Koinon::Testing {
namespace {

template <class Vocabulary>
class Data : public ::testing::Test {};
TYPED_TEST_SUITE(Data, Vocabularies, VocabularyName);

std::vector<std::byte> random_bytes(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(element_bits(count, 0, i) & 0xFFu);
  return bytes;
}

template <class Block, class Comm>
void expect_copies(Block const& block, Comm const& communicator, std::size_t length, std::size_t from, std::size_t to) {
  std::vector<std::byte> const source = random_bytes(length + from);
  std::vector<std::byte> copied(to + length + 64, std::byte{0x5A});
  std::vector<std::byte> staged = copied;
  std::vector<std::byte> taken = copied;
  block.copy_bytes(copied.data() + to, source.data() + from, length);
  block.take_bytes(taken.data() + to, source.data() + from, length);
  if (block.stage_bytes(communicator.device(), staged.data() + to, source.data() + from, length))
    Block::drain_streams();
  std::vector<std::byte> expected(to + length + 64, std::byte{0x5A});
  std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), length,
              expected.begin() + static_cast<std::ptrdiff_t>(to));
  ASSERT_EQ(copied, expected) << length << " bytes from +" << from << " to +" << to;
  ASSERT_EQ(taken, expected) << length << " bytes from +" << from << " to +" << to;
  ASSERT_EQ(staged, expected) << length << " bytes from +" << from << " to +" << to;
}

TYPED_TEST(Data, CopiesAndStreamsKeepEveryByteAtEveryAlignmentAndLength) {
  using Block = typename TypeParam::Block;
  TypeParam::on_ranks(2, [](auto& communicator, Block const& block) {
    Block const another(1, 2);  // of a grid
    for (std::size_t const length : {0, 1, 3, 15, 16, 17, 63, 64, 65, 127, 1000, 5001, 20000, 70001}) {
      for (std::size_t const from : {0, 1, 8, 17}) {
        for (std::size_t const to : {0, 1, 8, 16, 33}) {
          expect_copies(block, communicator, length, from, to);
          expect_copies(another, communicator, length, from, to);
        }
      }
    }
  });
}

template <class Block, class T, int N>
void expect_packs(std::size_t shift) {
  std::vector<std::byte> const source = random_bytes(sizeof(T) * N + shift);
  std::vector<std::byte> stored(sizeof(T) * N + shift + 64, std::byte{0x5A});
  std::vector<std::byte> streamed = stored;
  T const* const from = reinterpret_cast<T const*>(source.data() + shift);
  auto const pack = Block::template load_pack<T, N>(from);
  Block::template store_pack<T, N>(reinterpret_cast<T*>(stored.data() + shift), pack);
  Block::template stream_pack<T, N>(reinterpret_cast<T*>(streamed.data() + shift), pack);
  Block::drain_streams();
  EXPECT_EQ(std::memcmp(stored.data() + shift, from, sizeof(T) * N), 0);
  EXPECT_EQ(streamed, stored);
  EXPECT_EQ(stored[sizeof(T) * N + shift], std::byte{0x5A});
}

TYPED_TEST(Data, PacksKeepEveryBitAtTheAlignmentOfOneElement) {
  using Block = typename TypeParam::Block;
  for (std::size_t element = 0; element < 4; ++element) {
    expect_packs<Block, float, 1>(element * sizeof(float));
    expect_packs<Block, float, 32>(element * sizeof(float));
    expect_packs<Block, double, 16>(element * sizeof(double));
    expect_packs<Block, bfloat16, 32>(element * sizeof(bfloat16));
    expect_packs<Block, std::uint8_t, 32>(element);
    expect_packs<Block, Rgb, 32>(element * sizeof(Rgb));
  }
}

/// Streams pass the caches and are no part of a release: drain_streams orders them before it.
TYPED_TEST(Data, DrainedStreamsAreSeenBehindAReleaseAndGivenBackLinesStayWhole) {
  using Block = typename TypeParam::Block;
  TypeParam::on_ranks(2, [](auto& communicator, Block const& block) {
    constexpr std::size_t count = 40000;
    auto const data = symmetric_array<std::uint32_t, 1>(communicator, count);
    auto const flag = symmetric_array<std::uint64_t, 1>(communicator, 2);
    DeviceCommunicator const& device = communicator.device();
    int const peer = 1 - communicator.rank();
    std::vector<std::uint32_t> values(count);
    for (std::uint64_t turn = 1; turn <= 60; ++turn) {
      for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::uint32_t>(turn * 100000 + i);
      bool const streamed = block.stage_bytes(device, device.peer_pointer(peer, data.data()), values.data(),
                                              count * sizeof(std::uint32_t));
      if (streamed) Block::drain_streams();
      Block::store(device.peer_pointer(peer, flag.data()), turn, AcquireRelease{});
      while (Block::load(flag.data(), AcquireRelease{}) < turn) std::this_thread::yield();
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(data(i), static_cast<std::uint32_t>(turn * 100000 + i));
      block.give_back(device, data.data(), count * sizeof(std::uint32_t));
      Block::store(device.peer_pointer(peer, flag.data() + 1), turn, AcquireRelease{});
      while (Block::load(flag.data() + 1, AcquireRelease{}) < turn) std::this_thread::yield();
    }
  });
}

TYPED_TEST(Data, AMulticastLoadAddsEveryRanksValueAndAStoreReachesEveryRank) {
  using Block = typename TypeParam::Block;
  TypeParam::on_ranks(3, [](auto& communicator, Block const&) {
    auto const data = symmetric_array<float, 1>(communicator, 8);
    for (std::size_t i = 0; i < 4; ++i) data(i) = static_cast<float>(i) + static_cast<float>(communicator.rank()) * 10;
    CollectivePolicy<HostThread> const policy(communicator.space(), communicator);
    barrier("filled", policy);
    auto const sum = Block::template multimem_load_reduce<float, Sum, 4>(communicator.device(), data.data());
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(sum.values[i], static_cast<float>(i) * 3 + 30);
    if (communicator.rank() == 1) Block::template multimem_store<float, 4>(communicator.device(), data.data() + 4, sum);
    barrier("stored", policy);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(data(4 + i), sum.values[i]);
  });
}

/// A rank that decides for itself has measured: its probe lines were rewritten, and the neighbour read them since.
TEST(HostStreams, RanksMeasureWhatLinesCostThatANeighbourHasRead) {
  using Vocabulary = VocabularyOf<HostThread>;
  Vocabulary::on_ranks(3, [](auto& communicator, Vocabulary::Block const& block) {
    DeviceCommunicator const& device = communicator.device();
    CollectivePolicy<HostThread> const policy(communicator.space(), communicator);
    for (int turn = 0; turn < 200; ++turn) {
      (void)block.streams(device, Koinon::Impl::StreamChoice::bytes_from);
      barrier("turn", policy);
    }
    auto const& probe = *reinterpret_cast<Koinon::Impl::LineProbe const*>(device.segment(device.rank()) +
                                                                          device.m_layout.backend);
    EXPECT_GE(probe.written.word, 4u);
    for (auto const& line : probe.lines) EXPECT_EQ(line.word, probe.written.word);
    EXPECT_GE(probe.read.word, 4u);
    EXPECT_FALSE(block.streams(device, Koinon::Impl::StreamChoice::bytes_from - 1));
    if (communicator.rank() % 2 == 1) {
      EXPECT_TRUE(block.streams(device, Koinon::Impl::StreamChoice::bytes_from));
    }
    barrier("end", policy);
  });
}

}  // namespace
}  // namespace Koinon::Testing
