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
/// @pre the packets of `count` elements fit a slot
template <class T, class Block, class F>
KOINON_FORCE_INLINE void for_each_packet(Block const& block, std::size_t count, F&& f) {
  constexpr auto n = static_cast<std::uint32_t>(packet_elements<T, Block>);
  auto const stride = static_cast<std::uint32_t>(block.threads() * block.count());
  auto packet = static_cast<std::uint32_t>(block.index() * block.threads() + block.thread());
  auto const all = static_cast<std::uint32_t>(count);
  if constexpr (Block::packets_in_flight > 1) {
    // Whole packets and the last one alike: a second copy of f for it would be fetched, and waited for, by every launch.
    std::uint32_t const packets = (all + (n - 1)) / n;
    KOINON_KEEP_ROLLED
    for (; packet < packets; packet += stride) {
      std::uint32_t const i = packet * n;
      f(static_cast<std::size_t>(packet), static_cast<std::size_t>(i), static_cast<int>(all - i < n ? all - i : n));
    }
  } else {
    std::uint32_t const whole = all / n;
    for (; packet < whole; packet += stride) {
      f(static_cast<std::size_t>(packet), static_cast<std::size_t>(packet * n), static_cast<int>(n));
    }
    if (packet == whole && whole * n < all) {
      f(static_cast<std::size_t>(packet), static_cast<std::size_t>(packet * n), static_cast<int>(all - whole * n));
    }
  }
}

/// Puts elements that are a thread's own, and so in no memory that kernels share, into a packet's registers, and takes
/// them out. @pre n <= packet_elements
template <class T, class Block>
[[nodiscard]] KOINON_FORCE_INLINE typename Block::PacketContent content_of(T const* room, int n) {
  typename Block::PacketContent content{};
  KOINON_UNROLL
  for (int e = 0; e < packet_elements<T, Block>; ++e) {
    if (e < n) Block::put(content, e, element_at(room + e));
  }
  return content;
}
template <class T, class Block>
KOINON_FORCE_INLINE void take_content(T* room, typename Block::PacketContent const& content, int n) {
  KOINON_UNROLL
  for (int e = 0; e < packet_elements<T, Block>; ++e) {
    if (e < n) put_element(room + e, Block::template get<T>(content, e));
  }
}

// Strided ones on a device by a call: their walk in every loop would push the dense loops out of the instruction cache.
template <class T, class Block>
[[nodiscard]] KOINON_CALLED_FUNCTION typename Block::PacketContent gather_content(Operand<T const> const& from,
                                                                                  std::size_t i, int n) {
  T room[packet_elements<T, Block>];
  from.load_some(room, i, n);
  return content_of<T, Block>(room, n);
}
template <class T, class Block>
KOINON_CALLED_FUNCTION void scatter_content(Operand<T> const& to, std::size_t i, typename Block::PacketContent content,
                                            int n) {
  T room[packet_elements<T, Block>];
  take_content<T, Block>(room, content, n);
  to.store_some(i, room, n);
}

/// Loads n elements of an operand, from i on, into a packet's registers.
template <class T, class Block>
[[nodiscard]] KOINON_FORCE_INLINE auto load_content(Operand<T const> const& from, std::size_t i, int n) {
  return from.dense ? Block::load_content(from.pointer + i, n) : gather_content<T, Block>(from, i, n);
}
template <class T, class Block>
KOINON_FORCE_INLINE void store_content(Operand<T> const& to, std::size_t i, typename Block::PacketContent const& content,
                                       int n) {
  if (to.dense) {
    Block::store_content(to.pointer + i, content, n);
  } else {
    scatter_content<T, Block>(to, i, content, n);
  }
}

/// Asks for what this thread's first packet carries of an operand that is sent whole.
template <class T, class Block>
KOINON_FORCE_INLINE void prefetch_packet(Block const& block, Operand<T const> const& from) {
  if constexpr (Block::packets_in_flight > 1) {
    std::size_t const packet = static_cast<std::size_t>(block.index() * block.threads() + block.thread());
    std::size_t const i = packet * static_cast<std::size_t>(packet_elements<T, Block>);
    if (from.dense && i < from.count) Block::prefetch(from.pointer + i);
  }
}

/// Returns up to which i, from 1 on, launch.peer(i) gets packets: where they are in registers this rank sends to itself
/// too, last, and then treats all that it receives alike.
template <class Block>
[[nodiscard]] KOINON_FORCE_INLINE int receivers(Launch<Block> const& launch) {
  return launch.size() - (Block::packets_in_flight > 1 ? 0 : 1);
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

/// Calls f with the least number of packets in flight, 2, 4 or all that the backend has, that is enough for `ranks`: what
/// is unrolled for more costs every launch its instructions.
template <class Block, class F>
KOINON_FORCE_INLINE auto with_packets_in_flight(int ranks, F&& f) {
  if (ranks <= 2) return f(PackSize<2>{});
  if (ranks <= 4) return f(PackSize<4>{});
  return f(PackSize<Block::packets_in_flight>{});
}

/// The same of 2 or 4, where each packet has a place of its own, which more would push out of the registers.
template <class F>
KOINON_FORCE_INLINE auto with_few_packets_in_flight(int ranks, F&& f) {
  if (ranks <= 2) return f(PackSize<2>{});
  return f(PackSize<4>{});
}

/// Waits for the packets of ranks first + s for which wants(s) holds, this rank's own too, all together: one that has
/// arrived does not wait behind one that has not. False: the wait was given up.
/// @post contents of what was not wanted are nobody's
template <int Most, class Block, class Wants>
[[nodiscard]] KOINON_FORCE_INLINE bool receive_contents(Launch<Block> const& launch, int first, std::size_t packet,
                                                        Wants&& wants, typename Block::PacketContent (&contents)[Most]) {
  std::byte const* const at = launch.comm().packets(launch.rank(), first, launch.half()) + packet * sizeof(typename Block::Packet);
  std::size_t const apart = launch.comm().m_layout.packet_slot_bytes;
  typename Block::Patience patience;
  for (;;) {
    bool here[Most];
    auto const packet_of = [&](int s) {
      return reinterpret_cast<typename Block::Packet const*>(at + static_cast<std::size_t>(s) * apart);
    };
    if constexpr (asks_for_all<Block>) {
      KOINON_UNROLL
      for (int s = 0; s < Most; ++s) contents[s] = Block::fetch_packet(packet_of(wants(s) ? s : 0));
      KOINON_UNROLL
      for (int s = 0; s < Most; ++s) here[s] = !wants(s) || Block::has_arrived(contents[s], launch.number());
    } else {
      KOINON_UNROLL
      for (int s = 0; s < Most; ++s) {
        here[s] = !wants(s) || Block::load_packet(packet_of(s), contents[s], launch.number());
      }
    }
    bool all = true;
    KOINON_UNROLL
    for (int s = 0; s < Most; ++s) all = all && here[s];
    if (all) return true;
    int missing = 0;
    KOINON_UNROLL
    for (int s = Most - 1; s >= 0; --s) missing = here[s] ? missing : s;
    if (!patience.more(launch.comm(), launch.number(), first + missing)) return false;
  }
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
