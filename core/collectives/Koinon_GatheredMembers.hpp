// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <arrays/Koinon_ByteOperand.hpp>
#include <collectives/Koinon_Member.hpp>
#include <collectives/Koinon_Shares.hpp>
#include <protocol/Koinon_Partition.hpp>

#include <cstddef>
#include <type_traits>

/// The rows that a rank has of all members lie one behind the other in one sequence of bytes, each member from the same
/// place on with every rank, as if all had as many rows as the longest: packets and rounds cut the sequence, wherever
/// members end. Who has fewer rows leaves places empty, which nobody sends.
///
///   rank 0  [aaaa....|bb..|c...]      rank 1  [aaaaaaaa|bbbb|cc..]      one piece may end a and begin b
namespace Koinon::Impl {

/// Is one member: this rank's rows, all ranks' rows.
struct GatheredMember {
  std::size_t row_bytes = 0;
  std::size_t begin = 0;  // in the sequence
  ByteOperand source;
  ByteOperand result;

  [[nodiscard]] KOINON_FORCE_INLINE ByteOperand const& in() const { return source; }
  [[nodiscard]] KOINON_FORCE_INLINE ByteOperand const& out() const { return result; }
  void set(ByteOperand const& i, ByteOperand const& o) {
    source = i;
    result = o;
  }
};
/// The same of dense arrays, in a long list.
struct DenseGatheredMember {
  std::size_t row_bytes = 0;
  std::size_t begin = 0;
  std::byte* source = nullptr;
  std::byte* result = nullptr;

  [[nodiscard]] KOINON_FORCE_INLINE ByteOperand in() const { return ByteOperand(source, 0); }
  [[nodiscard]] KOINON_FORCE_INLINE ByteOperand out() const { return ByteOperand(result, 0); }
  void set(ByteOperand const& i, ByteOperand const& o) {
    source = i.pointer;
    result = o.pointer;
  }
};

/// Is what an all_gather_multiple launches with.
template <int Room>
struct AllGatherMultipleArguments {
  /// Longer lists are of dense arrays only, of which little need be told.
  using Member =
      std::conditional_t<(static_cast<std::size_t>(Room) > most_strided_members), DenseGatheredMember, GatheredMember>;

  Shares shares = {};  // rows of each rank, of elements of one row
  int members = 0;
  std::size_t length = 0;       // bytes of the sequence
  std::size_t round_bytes = 0;  // of one block
  Member list[Room];

  /// Members begin at multiples of that: they are copied by whole vectors.
  static constexpr std::size_t grain = 16;
};

/// Calls f(member, its bytes, bytes of the piece before them) for what a rank with so many rows has in a piece of the
/// sequence.
template <class Arguments, class F>
KOINON_FORCE_INLINE void for_each_part(Arguments const& a, std::size_t rows, Range piece, F&& f) {
  KOINON_KEEP_ROLLED
  for (int m = 0; m < a.members && a.list[m].begin < piece.end; ++m) {
    auto const& member = a.list[m];
    std::size_t const end = smaller(member.begin + rows * member.row_bytes, piece.end);
    std::size_t const begin = member.begin > piece.begin ? member.begin : piece.begin;
    if (begin < end) f(member, Range{begin - member.begin, end - member.begin}, begin - piece.begin);
  }
}

/// Is what a rank has in a packet.
template <class Arguments>
struct PacketPart {
  typename Arguments::Member const* only =
      nullptr;         // the member that all of it is of; null: more than one, or not from the first byte on
  std::size_t at = 0;  // the first byte in that member
  int bytes = 0;       // of the packet, up to the last one that is somebody's

  KOINON_FORCE_INLINE PacketPart(Arguments const& a, std::size_t rows, Range piece) {
    int parts = 0;
    for_each_part(a, rows, piece, [&](auto const& member, Range range, std::size_t before) {
      only = ++parts == 1 && before == 0 ? &member : nullptr;
      at = range.begin;
      bytes = static_cast<int>(before + range.size());
    });
  }
};

/// Says whether this rank's rows of a member are in their place already.
template <class Member>
[[nodiscard]] KOINON_FORCE_INLINE bool has_rows_in_place(Member const& member, std::size_t first_row) {
  return member.in().is_dense() && member.out().is_dense() &&
         member.in().pointer == member.out().pointer + first_row * member.row_bytes;
}

/// Calls f(first byte, bytes) for this thread's chunks of so many bytes: one alone takes them all at once.
template <class Block, class F>
KOINON_FORCE_INLINE void for_each_chunk(Block const& block, std::size_t bytes, F&& f) {
  std::size_t const threads = static_cast<std::size_t>(block.threads());
  std::size_t const chunk = threads == 1 ? bytes : 16;
  for (std::size_t i = static_cast<std::size_t>(block.thread()) * chunk; i < bytes; i += threads * chunk) {
    f(i, smaller(chunk, bytes - i));
  }
}

/// Copies a part of a member between an array and dense memory, by all threads of a block.
template <class Block>
KOINON_FORCE_INLINE void load_part(Block const& block, ByteOperand const& from, Range range, std::byte* to) {
  if (from.is_dense()) return block.copy_bytes(to, from.pointer + range.begin, range.size());
  for_each_chunk(block, range.size(), [&](std::size_t i, std::size_t n) { from.load(to + i, range.begin + i, n); });
}
template <class Block>
KOINON_FORCE_INLINE void store_part(Block const& block, ByteOperand const& to, Range range, std::byte const* from) {
  if (to.is_dense()) return block.copy_bytes(to.pointer + range.begin, from, range.size());
  for_each_chunk(block, range.size(), [&](std::size_t i, std::size_t n) { to.store(range.begin + i, from + i, n); });
}

}  // namespace Koinon::Impl
