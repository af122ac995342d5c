// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <conformance/Koinon_Vocabularies.hpp>
#include <support/Koinon_Random.hpp>

#include <array>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

namespace Koinon::Testing {
namespace {

template <class Vocabulary>
class Packets : public ::testing::Test {};
TYPED_TEST_SUITE(Packets, Vocabularies, VocabularyName);

template <std::size_t Bytes>
struct Element {
  std::array<std::byte, Bytes> bytes;
};

/// Sends every number of elements that fits, and expects the bits back under the right number only.
template <class Block, std::size_t Bytes>
void expect_packets_of() {
  using T = Element<Bytes>;
  constexpr int full = static_cast<int>(Block::Packet::payload_bytes / Bytes);
  auto const packet = std::make_unique<typename Block::Packet>();
  std::memset(static_cast<void*>(packet.get()), 0, sizeof *packet);
  auto const sent = std::make_unique<T[]>(full);
  auto const room = std::make_unique<T[]>(full);
  int const step = full > 64 ? full / 16 : 1;
  std::uint32_t number = 0xFFFFFFF0u;  // the bits of a negative int32, and numbers that wrap
  for (int n = 1; n <= full; n = n < full && n + step > full ? full : n + step) {
    number += 3;
    for (int e = 0; e < n; ++e) {
      for (std::size_t b = 0; b < Bytes; ++b) {
        bool const ones = e % 3 == 0;  // all-ones: no pattern may be taken for a flag
        sent[static_cast<std::size_t>(e)].bytes[b] =
            ones ? std::byte{0xFF} : static_cast<std::byte>(element_bits(Bytes, e, b) & 0xFFu);
      }
    }
    EXPECT_EQ(Block::receive_packet(packet.get(), room.get(), n, number), nullptr) << "before it was sent";
    Block::send_packet(packet.get(), sent.get(), n, number);
    EXPECT_EQ(Block::receive_packet(packet.get(), room.get(), n, number - 2), nullptr) << "an earlier launch's number";
    EXPECT_EQ(Block::receive_packet(packet.get(), room.get(), n, number + 2), nullptr) << "a later launch's number";
    EXPECT_EQ(Block::receive_packet(packet.get(), room.get(), n, number ^ 0x80000000u), nullptr);
    T const* const got = Block::receive_packet(packet.get(), room.get(), n, number);
    ASSERT_NE(got, nullptr);
    ASSERT_EQ(std::memcmp(got, sent.get(), static_cast<std::size_t>(n) * Bytes), 0) << n << " elements of " << Bytes << " bytes";
    Block::own_soon(packet.get(), sizeof *packet);  // changes nothing
    ASSERT_NE(Block::receive_packet(packet.get(), room.get(), n, number), nullptr);
  }
}

TYPED_TEST(Packets, CarryElementsOfEverySizeAndNumberBitForBitAndRefuseAWrongNumber) {
  using Block = typename TypeParam::Block;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (expect_packets_of<Block, I + 1>(), ...);
  }
  (std::make_index_sequence<60>());
}

TYPED_TEST(Packets, ElementsOfStricterAlignmentAreReturnedAligned) {
  using Block = typename TypeParam::Block;
  struct alignas(64) T {
    int value;
  };
  auto const packet = std::make_unique<typename Block::Packet>();
  T const sent{42};
  T room{};
  Block::send_packet(packet.get(), &sent, 1, 7);
  T const* const got = Block::receive_packet(packet.get(), &room, 1, 7);
  ASSERT_NE(got, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(got) % 64, 0u);
  EXPECT_EQ(got->value, 42);
}

TYPED_TEST(Packets, ClearedMemoryHoldsNoPacketOfAnyLaunch) {
  using Block = typename TypeParam::Block;
  auto const packet = std::make_unique<typename Block::Packet>();
  std::memset(static_cast<void*>(packet.get()), 0xFF, sizeof *packet);
  Block::clear(reinterpret_cast<std::byte*>(packet.get()), sizeof *packet);
  int room = 0;
  for (std::uint32_t const number : {1u, 5u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu}) {
    EXPECT_EQ(Block::receive_packet(packet.get(), &room, 1, number), nullptr);
  }
}

/// One trip without a barrier: the flag vouches for the payload. Two packets, as two launches use two halves.
TYPED_TEST(Packets, TheNumberVouchesForEveryByteOfThePayload) {
  using Block = typename TypeParam::Block;
  using Packet = typename TypeParam::Packet;
  TypeParam::on_ranks(2, [](auto& communicator, Block const&) {
    constexpr int n = static_cast<int>(Packet::payload_bytes / sizeof(std::uint32_t));
    auto const packets = symmetric_array<Packet, 1>(communicator, 2);
    int const peer = 1 - communicator.rank();
    auto const values = std::make_unique<std::uint32_t[]>(n);
    auto const room = std::make_unique<std::uint32_t[]>(n);
    for (std::uint32_t number = 1; number <= 1000; ++number) {
      for (int e = 0; e < n; ++e) values[static_cast<std::size_t>(e)] = number * 1000 + static_cast<std::uint32_t>(e);
      Packet* const own = &packets(number & 1u);
      Block::send_packet(communicator.device().peer_pointer(peer, own), values.get(), n, number);
      std::uint32_t const* got = nullptr;
      while ((got = Block::receive_packet(own, room.get(), n, number)) == nullptr) std::this_thread::yield();
      for (int e = 0; e < n; ++e) ASSERT_EQ(got[e], number * 1000 + static_cast<std::uint32_t>(e));
    }
  });
}

}  // namespace
}  // namespace Koinon::Testing
