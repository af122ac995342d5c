// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <arrays/Koinon_Operand.hpp>
#include <Koinon_Macros.hpp>
#include <protocol/Koinon_Launch.hpp>
#include <protocol/Koinon_Partition.hpp>

#include <cstddef>

/// Packets: data that is its own flag. A packet carries the launch number beside its payload, so the reader waits for
/// the data itself: one trip, no barrier, no fence. What a packet is, the backend says (Block::Packet).
namespace Koinon::Impl {

/// Returns how many elements of T one packet carries; 0: a T does not fit.
template <class T, class Block>
inline constexpr int packet_elements = static_cast<int>(Block::Packet::payload_bytes / sizeof(T));

template <class Block>
KOINON_FORCE_INLINE typename Block::Packet* packet_at(Launch<Block> const& launch, int at, int writer,
                                                      std::size_t packet) {
  return reinterpret_cast<typename Block::Packet*>(launch.comm().packets(at, writer, launch.half())) + packet;
}

/// Calls f(packet index, first element, number of elements) for this thread's packets of [0, count).
template <class T, class Block, class F>
KOINON_FORCE_INLINE void for_each_packet(Block const& block, std::size_t count, F&& f) {
  constexpr std::size_t n = static_cast<std::size_t>(packet_elements<T, Block>);
  std::size_t const whole = count / n;
  std::size_t const stride = static_cast<std::size_t>(block.threads()) * static_cast<std::size_t>(block.count());
  std::size_t packet = static_cast<std::size_t>(block.index()) * static_cast<std::size_t>(block.threads()) +
                       static_cast<std::size_t>(block.thread());
  for (; packet < whole; packet += stride) f(packet, packet * n, static_cast<int>(n));
  if (packet == whole && whole * n < count) f(packet, packet * n, static_cast<int>(count - whole * n));
}

/// Sends the packets of one message to peers, where they lie in the slot of this rank.
template <class T, class Block>
class PacketSender {
 public:
  KOINON_FORCE_INLINE PacketSender(Launch<Block> const& launch, std::size_t count)
      : m_launch(launch), m_count(count) {}

  KOINON_FORCE_INLINE void send(int to, std::size_t packet, T const* values, int n) const {
    Block::send_packet(packet_at(m_launch, to, m_launch.rank(), packet), values, n, m_launch.number());
  }

  /// Takes the lines of the packets that an equal message of the next launch to `to` needs, while this one waits: a hint,
  /// which at most makes a slow peer fetch a line once more.
  KOINON_FORCE_INLINE void prepare_next(int to) const {
    if constexpr (Block::own_ahead_bytes == 0) return;
    for_each_packet<T>(m_launch.block(), m_count, [&](std::size_t packet, std::size_t, int elements) {
      std::byte* const next = m_launch.comm().packets(to, m_launch.rank(), 1 - m_launch.half());
      constexpr std::size_t head = sizeof(typename Block::Packet) - Block::Packet::payload_bytes;
      Block::own_soon(reinterpret_cast<typename Block::Packet*>(next) + packet,
                      head + static_cast<std::size_t>(elements) * sizeof(T));
    });
  }

 private:
  Launch<Block> const& m_launch;
  std::size_t m_count;
};

/// Waits for a packet of `from` and returns its n elements, where they are or in `room`; null: the wait was given up.
template <class T, class Block>
[[nodiscard]] KOINON_FORCE_INLINE T const* receive_packet(Launch<Block> const& launch, int from, std::size_t packet,
                                                          T* room, int n) {
  typename Block::Packet const* const at = packet_at(launch, launch.rank(), from, packet);
  T const* values = nullptr;
  bool const arrived = wait_until(launch.block(), launch.comm(), launch.number(), from, [&] {
    values = Block::receive_packet(at, room, n, launch.number());
    return values != nullptr;
  });
  return arrived ? values : nullptr;
}

/// Says whether this block has any of the packets of `count` elements.
template <class T, class Block>
[[nodiscard]] KOINON_FORCE_INLINE bool has_packets(Block const& block, std::size_t count) {
  std::size_t const first = static_cast<std::size_t>(block.index()) * static_cast<std::size_t>(block.threads());
  return first * static_cast<std::size_t>(packet_elements<T, Block>) < count;
}

/// Notes that packets of all peers arrived, if this block had any among those of `count` elements.
template <class T, class Block>
KOINON_FORCE_INLINE void learn_from_packets(Launch<Block> const& launch, std::size_t count) {
  if (!has_packets<T>(launch.block(), count)) return;
  for (int p = 1; p < launch.size(); ++p) launch.learn(launch.peer(p));
}

}  // namespace Koinon::Impl
