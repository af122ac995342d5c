// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <arrays/Koinon_Piece.hpp>
#include <collectives/Koinon_ExchangeBodies.hpp>
#include <Koinon_Macros.hpp>
#include <protocol/Koinon_Packets.hpp>

#include <cstddef>
#include <cstdint>

namespace Koinon::Impl {

// A packet whose elements lie in several runs, on a device by a call: few packets of a piece do.
template <class T, class Block>
[[nodiscard]] KOINON_CALLED_FUNCTION typename Block::PacketContent gather_run_content(Operand<T const> const& from,
                                                                                      Piece const& piece, std::size_t e, int n) {
  T room[packet_elements<T, Block>];
  T* to = room;
  for_each_run(piece.columns, {e, e + static_cast<std::size_t>(n)},
               [&](std::size_t run, std::size_t column, std::size_t, std::size_t length) {
                 from.load_some(to, piece.begin + run * piece.pitch + column, static_cast<int>(length));
                 to += length;
               });
  return content_of<T, Block>(room, n);
}
template <class T, class Block>
KOINON_CALLED_FUNCTION void scatter_run_content(Operand<T> const& to, Piece const& piece, std::size_t e,
                                                typename Block::PacketContent content, int n) {
  T room[packet_elements<T, Block>];
  T const* from = room;
  take_content<T, Block>(room, content, n);
  for_each_run(piece.columns, {e, e + static_cast<std::size_t>(n)},
               [&](std::size_t run, std::size_t column, std::size_t, std::size_t length) {
                 to.store_some(piece.begin + run * piece.pitch + column, from, static_cast<int>(length));
                 from += length;
               });
}

/// Finds where elements of pieces are in their array. Pieces of equal columns share one division.
class PieceWalk {
 public:
  static constexpr std::size_t nowhere = ~std::size_t{0};

  KOINON_FORCE_INLINE PieceWalk(PieceSide const& side, std::size_t e)
      : m_columns(side.of(0).columns), m_e(e), m_at(side.cut == Cut::columns ? e : 0, m_columns) {}

  /// Returns where n elements of a piece, from e on, begin if they are neighbours in the array; else nowhere.
  [[nodiscard]] KOINON_FORCE_INLINE std::size_t place_of(Piece const& piece, int n) const {
    if (piece.is_gapless()) return piece.begin + m_e;
    RunPlace const at = piece.columns == m_columns ? m_at : divided(m_e, piece.columns);
    if (at.column + static_cast<std::size_t>(n) > piece.columns) return nowhere;
    return piece.begin + at.run * piece.pitch + at.column;
  }

 private:
  [[nodiscard]] static KOINON_CALLED_FUNCTION RunPlace divided(std::size_t e, std::size_t columns) {
    return RunPlace(e, columns);
  }

  std::size_t m_columns;
  std::size_t m_e;
  RunPlace m_at;
};

/// Every rank sends each peer its piece as packets.
///
///   rank 0   a1 ──► 1, a2 ──► 2      rank 1   b0 ──► 0, b2 ──► 2      ...      rank 0 has: a0 b0 c0
template <class T>
struct LowLatencyExchange {
  template <class Block>
  KOINON_FORCE_INLINE void operator()(Launch<Block>& launch, ExchangeArguments<T> const& a) const {
    static_assert(packet_elements<T, Block> > 0, "an element that exceeds a packet has no low-latency form");
    if (!launch.before_first_store()) return;
    bool const arrived = [&] {
      if constexpr (Block::packets_in_flight > 1) {
        return in_registers(launch, a);
      } else {
        return in_memory(launch, a);
      }
    }();
    bool from_all = arrived;
    for (int turn = 1; turn < launch.size(); ++turn) {
      from_all = from_all && has_packets<T>(launch.block(), a.received.of(launch.peer(turn)).count);
    }
    if (from_all) launch.learn_all();
  }

 private:
  /// Each thread has packets of all ranks in flight: first it loads what they all get, then it stores.
  template <class Block>
  [[nodiscard]] static KOINON_FORCE_INLINE bool in_registers(Launch<Block>& launch, ExchangeArguments<T> const& a) {
    Block const& block = launch.block();
    for_each_packet<T>(block, a.sent.longest(), [&](std::size_t packet, std::size_t e, int) {
      if (a.sent.cut == Cut::none) {
        Piece const piece = a.sent.of(0);
        auto const content = load<Block>(a.in, piece, e, elements_of<Block>(piece, e), PieceWalk(a.sent, e));
        KOINON_KEEP_ROLLED
        for (int i = 1; i <= launch.size(); ++i) {
          int const p = launch.peer(i);
          Block::send_content(packet_at(launch, p, launch.rank(), packet), content, launch.number());
        }
      } else {
        with_few_packets_in_flight(launch.size(), [&](auto most) { send_to_all<most()>(launch, a, packet, e); });
      }
    });
    launch.confirm_alone();
    bool arrived = true;
    for_each_packet<T>(block, a.received.longest(), [&](std::size_t packet, std::size_t e, int) {
      arrived = arrived && with_few_packets_in_flight(launch.size(), [&](auto most) {
                  return receive_from_all<most()>(launch, a, packet, e);
                });
    });
    return arrived;
  }

  template <int Most, class Block>
  static KOINON_FORCE_INLINE void send_to_all(Launch<Block> const& launch, ExchangeArguments<T> const& a,
                                              std::size_t packet, std::size_t e) {
    PieceWalk const walk(a.sent, e);
    KOINON_KEEP_ROLLED
    for (int first = 0; first < launch.size(); first += Most) {
      typename Block::PacketContent contents[Most];
      int counts[Most];  // elements of each packet; 0: there is none
      KOINON_UNROLL
      for (int s = 0; s < Most; ++s) {
        Piece const piece = a.sent.of(launch.peer(first + s < launch.size() ? first + s : 0));
        counts[s] = first + s < launch.size() ? elements_of<Block>(piece, e) : 0;
        if (counts[s] > 0) contents[s] = load<Block>(a.in, piece, e, counts[s], walk);
      }
      KOINON_UNROLL
      for (int s = 0; s < Most; ++s) {
        if (counts[s] == 0) continue;
        Block::send_content(packet_at(launch, launch.peer(first + s), launch.rank(), packet), contents[s], launch.number());
      }
    }
  }

  template <int Most, class Block>
  [[nodiscard]] static KOINON_FORCE_INLINE bool receive_from_all(Launch<Block> const& launch, ExchangeArguments<T> const& a,
                                                                 std::size_t packet, std::size_t e) {
    PieceWalk const walk(a.received, e);
    KOINON_KEEP_ROLLED
    for (int first = 0; first < launch.size(); first += Most) {
      typename Block::PacketContent contents[Most];
      int counts[Most];
      KOINON_UNROLL
      for (int s = 0; s < Most; ++s) {
        counts[s] = first + s < launch.size() ? elements_of<Block>(a.received.of(first + s), e) : 0;
      }
      if (!receive_contents<Most>(launch, first, packet, [&](int s) { return counts[s] > 0; }, contents)) return false;
      KOINON_UNROLL
      for (int s = 0; s < Most; ++s) {
        if (counts[s] == 0) continue;
        Piece const piece = a.received.of(first + s);
        std::size_t const i = walk.place_of(piece, counts[s]);
        if (i != PieceWalk::nowhere) {
          store_content<T, Block>(a.out, i, contents[s], counts[s]);
        } else {
          scatter_run_content<T, Block>(a.out, piece, e, contents[s], counts[s]);
        }
      }
    }
    return true;
  }

  template <class Block>
  [[nodiscard]] static KOINON_FORCE_INLINE int elements_of(Piece const& piece, std::size_t e) {
    constexpr std::size_t most = static_cast<std::size_t>(packet_elements<T, Block>);
    return e < piece.count ? static_cast<int>(smaller(piece.count - e, most)) : 0;
  }
  template <class Block>
  [[nodiscard]] static KOINON_FORCE_INLINE auto load(Operand<T const> const& in, Piece const& piece, std::size_t e, int n,
                                                     PieceWalk const& walk) {
    std::size_t const i = walk.place_of(piece, n);
    return i != PieceWalk::nowhere ? load_content<T, Block>(in, i, n) : gather_run_content<T, Block>(in, piece, e, n);
  }

  /// One peer after the other, packets read where they lie.
  template <class Block>
  [[nodiscard]] static KOINON_FORCE_INLINE bool in_memory(Launch<Block>& launch, ExchangeArguments<T> const& a) {
    Block const& block = launch.block();
    bool const one = a.sent.cut == Cut::none;
    for (int turn = 1; turn < (one && launch.size() > 1 ? 2 : launch.size()); ++turn) {
      int const p = launch.peer(turn);
      Piece const piece = a.sent.of(p);
      for_each_packet<T>(block, piece.count, [&](std::size_t packet, std::size_t e, int n) {
        T room[packet_elements<T, Block>];
        T const* const values = read(block, a.in, piece, e, n, room);
        auto const send = [&](int to) {
          Block::send_packet(packet_at(launch, to, launch.rank(), packet), values, n, launch.number());
        };
        if (!one) return send(p);
        for (int i = 1; i < launch.size(); ++i) send(launch.peer(i));
      });
    }
    for (int turn = 1; turn < launch.size(); ++turn) prepare_next<T>(launch, launch.peer(turn), a.sent.of(launch.peer(turn)).count);
    launch.confirm_alone();
    Piece const own = a.sent.of(launch.rank());
    for_each_packet<T>(block, own.count, [&](std::size_t, std::size_t e, int n) {
      copy_piece(block, nullptr, memory_of(a.out, a.received.of(launch.rank())), memory_of(a.in, own), own.columns,
                 {e, e + static_cast<std::size_t>(n)});
    });
    bool arrived = true;
    for (int turn = 1; turn < launch.size() && arrived; ++turn) {
      int const from = launch.peer(turn);
      Piece const piece = a.received.of(from);
      for_each_packet<T>(block, piece.count, [&](std::size_t packet, std::size_t e, int n) {
        T room[packet_elements<T, Block>];
        T const* const values = arrived ? receive_packet(launch, from, packet, room, n) : nullptr;
        arrived = values != nullptr;
        if (!arrived) return;
        if (piece.is_gapless()) return a.out.store_some(piece.begin + e, values, n);
        copy_piece(block, nullptr, memory_of(a.out, piece), memory_of<T const>(values - e, piece.alone()), piece.columns,
                   {e, e + static_cast<std::size_t>(n)});
      });
    }
    return arrived;
  }

  /// Returns n elements of a piece as neighbours: where they are, or in `room`.
  template <class Block>
  [[nodiscard]] static KOINON_FORCE_INLINE T const* read(Block const& block, Operand<T const> const& in, Piece const& piece,
                                                         std::size_t e, int n, T* room) {
    if (piece.is_gapless()) return in.read(room, piece.begin + e, n);
    copy_piece(block, nullptr, memory_of(room - e, piece.alone()), memory_of(in, piece), piece.columns,
               {e, e + static_cast<std::size_t>(n)});
    return room;
  }
};

}  // namespace Koinon::Impl
