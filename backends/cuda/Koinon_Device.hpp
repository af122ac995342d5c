// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaBlock.hpp>
#include <protocol/Koinon_DeviceCommunicator.hpp>
#include <protocol/Koinon_Launch.hpp>
#include <reducers/Koinon_ReducerTraits.hpp>
#include <reducers/Koinon_Reducers.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// The verbs of DeviceCommunicator in users' kernels. Files that are compiled for a device include it.
namespace Koinon {

namespace Impl {

/// Is the part of a rank's segment for users' kernels, as one rank sees it.
class CudaUserWords {
 public:
  explicit KOINON_FORCE_INLINE CudaUserWords(DeviceCommunicator const& comm)
      : m_comm(comm), m_layout(comm.size(), comm.m_layout.max_blocks) {}

  /// Returns the signals of `writer` at `rank`.
  [[nodiscard]] KOINON_FORCE_INLINE std::uint32_t* signals(int rank, int writer, int slot) const {
    return word(rank, m_layout.signals, writer, slot, UserLayout::slots);
  }
  [[nodiscard]] KOINON_FORCE_INLINE std::uint32_t* arrivals(int rank, int writer, int block) const {
    return word(rank, m_layout.arrivals, writer, block, m_comm.m_layout.max_blocks);
  }
  /// Returns where the packet with that number lies at `rank`: two take turns.
  [[nodiscard]] KOINON_FORCE_INLINE CudaPacket* packet(int rank, int writer, int slot, std::uint32_t number) const {
    std::size_t const at = (static_cast<std::size_t>(number & 1u) * static_cast<std::size_t>(m_comm.size()) +
                            static_cast<std::size_t>(writer)) *
                               UserLayout::slots +
                           static_cast<std::size_t>(slot);
    return reinterpret_cast<CudaPacket*>(m_comm.segment(rank) + m_comm.m_layout.user + m_layout.packets) + at;
  }
  // This rank's own counts.
  [[nodiscard]] KOINON_FORCE_INLINE std::uint32_t* signalled(int peer, int slot) const {
    return own(m_layout.signalled, peer, slot);
  }
  [[nodiscard]] KOINON_FORCE_INLINE std::uint32_t* waited(int peer, int slot) const {
    return own(m_layout.waited, peer, slot);
  }
  [[nodiscard]] KOINON_FORCE_INLINE std::uint32_t* sent(int peer, int slot) const {
    return own(m_layout.sent, peer, slot);
  }
  [[nodiscard]] KOINON_FORCE_INLINE std::uint32_t* received(int peer, int slot) const {
    return own(m_layout.received, peer, slot);
  }
  [[nodiscard]] KOINON_FORCE_INLINE std::uint32_t* barriers(int block) const {
    return word(m_comm.rank(), m_layout.barriers, 0, block, 0);
  }

  /// Waits for the sake of `peer` until ready() holds; false: given up.
  template <class Ready>
  [[nodiscard]] KOINON_FORCE_INLINE bool wait_for(int peer, Ready&& ready) const {
    if (ready()) return true;
    CudaPatience patience;
    LaunchNumber const number = CudaWords::load(m_comm.m_numbers, Relaxed{});  // of the launch before the user's kernel
    do {
      if (!patience.more(m_comm, number, peer)) return false;
    } while (!ready());
    return true;
  }

 private:
  static_assert(sizeof(CudaPacket) == UserLayout::packet_bytes);
  [[nodiscard]] KOINON_FORCE_INLINE std::uint32_t* word(int rank, std::size_t region, int row, int column,
                                                        int columns) const {
    return reinterpret_cast<std::uint32_t*>(m_comm.segment(rank) + m_comm.m_layout.user + region) +
           static_cast<std::ptrdiff_t>(row) * columns + column;
  }
  [[nodiscard]] KOINON_FORCE_INLINE std::uint32_t* own(std::size_t region, int peer, int slot) const {
    return word(m_comm.rank(), region, peer, slot, UserLayout::slots);
  }

  DeviceCommunicator const& m_comm;
  UserLayout m_layout;
};

/// Returns the number of the packet after that one: never 0, which is that of zeroed memory, and always of other
/// parity.
[[nodiscard]] KOINON_FORCE_INLINE constexpr std::uint32_t next_packet(std::uint32_t number) {
  return number == 0xFFFFFFFFu ? 2 : number + 1;
}

/// Is a team of a TeamPolicy as a block.
template <class Member>
class TeamBlock {
 public:
  explicit KOINON_FORCE_INLINE TeamBlock(Member const& member) : m_member(member) {}
  [[nodiscard]] KOINON_FORCE_INLINE int index() const { return static_cast<int>(m_member.league_rank()); }
  [[nodiscard]] KOINON_FORCE_INLINE int thread() const { return static_cast<int>(m_member.team_rank()); }
  [[nodiscard]] KOINON_FORCE_INLINE int threads() const { return static_cast<int>(m_member.team_size()); }
  KOINON_FORCE_INLINE void barrier() const { m_member.team_barrier(); }
  [[nodiscard]] KOINON_FORCE_INLINE bool all(bool good) const { return CudaBlock::all(good); }

 private:
  Member const& m_member;
};

template <class B>
KOINON_FORCE_INLINE auto block_of(B const& block) {
  if constexpr (requires { block.team_barrier(); }) {
    return TeamBlock<B>(block);
  } else {
    return block;
  }
}

/// Completes the order of a store that follows, or of a load that went before.
KOINON_FORCE_INLINE void order_data(Relaxed) {}
KOINON_FORCE_INLINE void order_data(AcquireRelease) { CudaWords::fence(); }

/// Is the largest word of which an element consists, and at whose multiples it lies.
template <class T>
using element_word =
    std::conditional_t<alignof(T) % 8 == 0, std::uint64_t,
                       std::conditional_t<alignof(T) == 4, std::uint32_t,
                                          std::conditional_t<alignof(T) == 2, std::uint16_t, std::uint8_t>>>;

/// Loads from where other ranks may have written since: not from L1. An element of several words is no single access.
template <class T>
[[nodiscard]] KOINON_FORCE_INLINE T load_element(T const* p) {
  static_assert(std::is_trivially_copyable_v<T>, "Koinon: an element type must be trivially copyable");
  using Word = element_word<T>;
  constexpr std::size_t count = sizeof(T) / sizeof(Word);
  auto const* const from = reinterpret_cast<Word const*>(p);
  Word words[count];
  KOINON_UNROLL
  for (std::size_t w = 0; w < count; ++w) {
    if constexpr (sizeof(Word) >= 4) {
      words[w] = CudaWords::load(from + w, Relaxed{});
    } else {
      words[w] = *static_cast<Word const volatile*>(from + w);
    }
  }
  T value;
  __builtin_memcpy(static_cast<void*>(&value), words, sizeof value);
  return value;
}
template <class T>
KOINON_FORCE_INLINE void store_element(T* p, T const& value) {
  static_assert(std::is_trivially_copyable_v<T>, "Koinon: an element type must be trivially copyable");
  using Word = element_word<T>;
  constexpr std::size_t count = sizeof(T) / sizeof(Word);
  auto* const to = reinterpret_cast<Word*>(p);
  Word words[count];
  __builtin_memcpy(words, static_cast<void const*>(&value), sizeof value);
  KOINON_UNROLL
  for (std::size_t w = 0; w < count; ++w) {
    if constexpr (sizeof(Word) >= 4) {
      CudaWords::store(to + w, words[w], Relaxed{});
    } else {
      *static_cast<Word volatile*>(to + w) = words[w];
    }
  }
}

}  // namespace Impl

/// Returns the calling block of a kernel, for DeviceCommunicator::barrier.
[[nodiscard]] KOINON_FORCE_INLINE Impl::CudaBlock this_block() { return Impl::CudaBlock(nullptr); }

template <class Order>
KOINON_FORCE_INLINE void DeviceCommunicator::signal(int rank, int slot, Order order) const {
  Impl::CudaUserWords const words(*this);
  std::uint32_t const number = Impl::CudaWords::load(words.signalled(rank, slot), Relaxed{}) + 1;
  Impl::CudaWords::store(words.signalled(rank, slot), number, Relaxed{});
  Impl::CudaWords::store(words.signals(rank, m_rank, slot), number, order);
}

template <class Order>
KOINON_FORCE_INLINE bool DeviceCommunicator::wait(int rank, int slot, Order order) const {
  Impl::CudaUserWords const words(*this);
  std::uint32_t const number = Impl::CudaWords::load(words.waited(rank, slot), Relaxed{}) + 1;
  bool const good = words.wait_for(
      rank, [&] { return Impl::has_reached(Impl::CudaWords::load(words.signals(m_rank, rank, slot), order), number); });
  if (good) Impl::CudaWords::store(words.waited(rank, slot), number, Relaxed{});
  return good;
}

template <class Block, class Order>
KOINON_FORCE_INLINE bool DeviceCommunicator::barrier(Block const& given, Order order) const {
  Impl::CudaUserWords const words(*this);
  auto const block = Impl::block_of(given);
  int const b = block.index();
  std::uint32_t const number = Impl::CudaWords::load(words.barriers(b), Relaxed{}) + 1;
  block.barrier();  // all have read the number, and written what the signals below release
  Impl::for_each_peer(block, *this,
                      [&](int p) { Impl::CudaWords::store(words.arrivals(p, m_rank, b), number, order); });
  bool good = true;
  Impl::for_each_peer(block, *this, [&](int p) {
    good = good && words.wait_for(p, [&] {
      return Impl::has_reached(Impl::CudaWords::load(words.arrivals(m_rank, p, b), order), number);
    });
  });
  if (block.thread() == 0) Impl::CudaWords::store(words.barriers(b), number, Relaxed{});
  return block.all(good);  // and passes on to all threads what these have acquired
}

template <class T, class Reducer, class Order>
KOINON_FORCE_INLINE T DeviceCommunicator::load_reduce(T const* p, Reducer const& reducer, Order order) const {
  ReducerTraits<Reducer, T> const traits(reducer);
  auto sum = traits.first(Impl::load_element(peer_pointer(0, p)));
  for (int r = 1; r < m_size; ++r) traits.join(sum, Impl::load_element(peer_pointer(r, p)));
  Impl::order_data(order);
  return traits.finish(sum, m_size);
}

template <class T, class Order>
KOINON_FORCE_INLINE void DeviceCommunicator::store_all(T* p, T const& value, Order order) const {
  Impl::order_data(order);
  for (int i = 0; i < m_size; ++i) {
    int const r = m_rank + i < m_size ? m_rank + i : m_rank + i - m_size;
    Impl::store_element(peer_pointer(r, p), value);
  }
}

template <class T, class Order>
KOINON_FORCE_INLINE T DeviceCommunicator::load_from(int rank, T const* p, Order order) const {
  T const value = Impl::load_element(peer_pointer(rank, p));
  Impl::order_data(order);
  return value;
}

template <class T, class Order>
KOINON_FORCE_INLINE void DeviceCommunicator::store_to(int rank, T* p, T const& value, Order order) const {
  Impl::order_data(order);
  Impl::store_element(peer_pointer(rank, p), value);
}

template <class T, class Order>
KOINON_FORCE_INLINE void DeviceCommunicator::send_packet(int rank, int slot, T const& value, Order order) const {
  static_assert(sizeof(T) <= Impl::CudaPacket::payload_bytes, "Koinon: a packet has room for 12 bytes");
  Impl::CudaUserWords const words(*this);
  std::uint32_t const number = Impl::next_packet(Impl::CudaWords::load(words.sent(rank, slot), Relaxed{}));
  Impl::CudaWords::store(words.sent(rank, slot), number, Relaxed{});
  Impl::order_data(order);
  Impl::CudaVector content{};
  Impl::CudaBlock::put(content, 0, value);
  Impl::CudaBlock::send_content(words.packet(rank, m_rank, slot, number), content, number);
}

template <class T, class Order>
KOINON_FORCE_INLINE bool DeviceCommunicator::receive_packet(int rank, int slot, T& value, Order order) const {
  static_assert(sizeof(T) <= Impl::CudaPacket::payload_bytes, "Koinon: a packet has room for 12 bytes");
  Impl::CudaUserWords const words(*this);
  std::uint32_t const number = Impl::next_packet(Impl::CudaWords::load(words.received(rank, slot), Relaxed{}));
  Impl::CudaBlock::PacketContent content;
  bool const good = words.wait_for(rank, [&] {
    return Impl::CudaBlock::load_packet(words.packet(m_rank, rank, slot, number), content, number);
  });
  if (good) value = Impl::CudaBlock::get<T>(content, 0);
  Impl::order_data(order);
  if (good) Impl::CudaWords::store(words.received(rank, slot), number, Relaxed{});
  return good;
}

}  // namespace Koinon
