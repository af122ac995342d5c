// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <arrays/Koinon_Operand.hpp>
#include <Koinon_Macros.hpp>
#include <protocol/Koinon_Launch.hpp>
#include <protocol/Koinon_Partition.hpp>

#include <cstddef>
#include <cstdint>

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

/// Loads n elements of an operand, from i on, into a packet's registers.
template <class T, class Block>
[[nodiscard]] KOINON_FORCE_INLINE auto load_content(Operand<T const> const& from, std::size_t i, int n) {
  if (from.dense) return Block::load_content(from.pointer + i, n);
  typename Block::PacketContent content{};
  KOINON_UNROLL
  for (int e = 0; e < packet_elements<T, Block>; ++e) {
    if (e < n) Block::put(content, e, element_at(from.address(i + static_cast<std::size_t>(e))));
  }
  return content;
}
template <class T, class Block>
KOINON_FORCE_INLINE void store_content(Operand<T> const& to, std::size_t i, typename Block::PacketContent const& content,
                                       int n) {
  if (to.dense) return Block::store_content(to.pointer + i, content, n);
  KOINON_UNROLL
  for (int e = 0; e < packet_elements<T, Block>; ++e) {
    if (e < n) put_element(to.address(i + static_cast<std::size_t>(e)), Block::template get<T>(content, e));
  }
}

/// Sends n elements of an operand, from i on, as one packet: to_whom(send) calls send(peer) for each that gets it.
template <class T, class Block, class F>
KOINON_FORCE_INLINE void send_elements(Launch<Block> const& launch, Operand<T const> const& from, std::size_t i,
                                       std::size_t packet, int n, F&& to_whom) {
  auto const slot = [&](int peer) { return packet_at(launch, peer, launch.rank(), packet); };
  if constexpr (Block::packets_in_flight > 1) {
    auto const content = load_content<T, Block>(from, i, n);
    to_whom([&](int peer) { Block::send_content(slot(peer), content, launch.number()); });
  } else {
    T room[packet_elements<T, Block>];
    T const* const values = from.read(room, i, n);
    to_whom([&](int peer) { Block::send_packet(slot(peer), values, n, launch.number()); });
  }
}

/// Takes the lines of the packets that an equal message of the next launch to a peer needs, while this one waits: a hint,
/// which at most makes a slow peer fetch a line once more.
template <class T, class Block>
KOINON_FORCE_INLINE void prepare_next(Launch<Block> const& launch, int to, std::size_t count) {
  if constexpr (Block::own_ahead_bytes > 0) {
    for_each_packet<T>(launch.block(), count, [&](std::size_t packet, std::size_t, int elements) {
      std::byte* const next = launch.comm().packets(to, launch.rank(), 1 - launch.half());
      constexpr std::size_t head = sizeof(typename Block::Packet) - Block::Packet::payload_bytes;
      Block::own_soon(reinterpret_cast<typename Block::Packet*>(next) + packet,
                      head + static_cast<std::size_t>(elements) * sizeof(T));
    });
  }
}

/// Waits for packets of the peers first + s of bit s in `wanted`, all together, so that one that has arrived does not
/// wait behind one that has not. False: the wait was given up.
template <class Block>
[[nodiscard]] KOINON_FORCE_INLINE bool receive_contents(Launch<Block> const& launch, int first, std::uint32_t wanted,
                                                        std::size_t packet,
                                                        typename Block::PacketContent (&contents)[Block::packets_in_flight]) {
  typename Block::Patience patience;
  while (wanted != 0) {
    std::uint32_t arrived = 0;
    KOINON_UNROLL
    for (int s = 0; s < Block::packets_in_flight; ++s) {
      if ((wanted >> s & 1u) == 0) continue;
      bool const here =
          Block::load_packet(packet_at(launch, launch.rank(), first + s, packet), contents[s], launch.number());
      arrived |= static_cast<std::uint32_t>(here) << s;
    }
    wanted &= ~arrived;
    if (wanted == 0) break;
    int missing = first;
    while ((wanted >> (missing - first) & 1u) == 0) ++missing;
    if (!patience.more(launch.comm(), launch.number(), missing)) return false;
  }
  return true;
}

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
KOINON_FORCE_INLINE void learn_from_packets(Launch<Block>& launch, std::size_t count) {
  if (has_packets<T>(launch.block(), count)) launch.learn_all();
}

}  // namespace Koinon::Impl
