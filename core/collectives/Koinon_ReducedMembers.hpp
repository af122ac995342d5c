// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <arrays/Koinon_Operand.hpp>
#include <protocol/Koinon_Packets.hpp>
#include <protocol/Koinon_Partition.hpp>
#include <reducers/Koinon_ReducerTraits.hpp>

#include <cstddef>
#include <type_traits>

/// Members of one element type form a group, for which the loops over elements exist once. All members of all groups
/// lie one behind the other in one sequence of bytes, which rounds cut, and their packets in one sequence of packets.
namespace Koinon::Impl {

/// Returns the least number that all of them divide.
template <class... Numbers>
[[nodiscard]] constexpr std::size_t common_multiple(std::size_t first, Numbers... more) {
  std::size_t multiple = first;
  while (((multiple % more != 0) || ...)) multiple += first;
  return multiple;
}

/// Is one pair of arrays; `out` is `in` or apart from it.
template <class T>
struct ReducedMember {
  std::size_t begin = 0;  // in the sequence, in bytes
  std::size_t first_packet = 0;
  std::size_t count = 0;  // elements
  Operand<T const> source;
  Operand<T> result;

  [[nodiscard]] KOINON_FORCE_INLINE Operand<T const> const& in() const { return source; }
  [[nodiscard]] KOINON_FORCE_INLINE Operand<T> const& out() const { return result; }
  void set(Operand<T const> const& i, Operand<T> const& o) {
    source = i;
    result = o;
    count = i.count;
  }
};
/// The same of dense arrays, in a long list.
template <class T>
struct DenseReducedMember {
  std::size_t begin = 0;
  std::size_t first_packet = 0;
  std::size_t count = 0;
  T const* source = nullptr;
  T* result = nullptr;

  [[nodiscard]] KOINON_FORCE_INLINE Operand<T const> in() const { return dense(source); }
  [[nodiscard]] KOINON_FORCE_INLINE Operand<T> out() const { return dense(result); }
  void set(Operand<T const> const& i, Operand<T> const& o) {
    source = i.pointer;
    result = o.pointer;
    count = i.count;
  }

 private:
  template <class U>
  [[nodiscard]] KOINON_FORCE_INLINE Operand<U> dense(U* p) const {
    Operand<U> operand;
    operand.pointer = p;
    operand.count = count;
    return operand;
  }
};

/// Is the members of one element type; dense ones only in a long list.
template <class T, class R, int Room, bool Dense = false>
struct ReducedGroup {
  using Element = T;
  using Member = std::conditional_t<Dense, DenseReducedMember<T>, ReducedMember<T>>;
  /// Members begin at multiples of that: at whole elements, and where they are copied by whole vectors.
  static constexpr std::size_t alignment = common_multiple(16, sizeof(T));

  ReducerTraits<R, T> reducer;
  int members = 0;
  Member list[Room];

  explicit ReducedGroup(R const& r) : reducer(r) {}
};

/// Is what an all_reduce_multiple launches with.
template <class... Groups>
struct AllReduceMultipleArguments : Groups... {
  /// Pieces of the sequence are cut at multiples of that: between elements, whatever is there.
  static constexpr std::size_t element_grain = common_multiple(16, Groups::alignment...);
  static constexpr std::size_t grain = (127 / element_grain + 1) * element_grain;

  std::size_t length = 0;  // bytes of the sequence
  std::size_t packets = 0;
  std::size_t round_bytes = 0;  // of one block

  template <class R>
  explicit AllReduceMultipleArguments(R const& r) : Groups(r)... {}

  template <class F>
  KOINON_FORCE_INLINE void for_each_group(F&& f) const {
    (f(static_cast<Groups const&>(*this)), ...);
  }
};

/// Calls f(group, member, its elements) for what lies in a piece of the sequence.
template <class Arguments, class F>
KOINON_FORCE_INLINE void for_each_elements(Arguments const& a, Range piece, F&& f) {
  a.for_each_group([&]<class Group>(Group const& group) {
    constexpr std::size_t size = sizeof(typename Group::Element);
    KOINON_KEEP_ROLLED
    for (int m = 0; m < group.members && group.list[m].begin < piece.end; ++m) {
      auto const& member = group.list[m];
      std::size_t const end = smaller(member.begin + member.count * size, piece.end);
      std::size_t const begin = member.begin > piece.begin ? member.begin : piece.begin;
      if (begin < end) f(group, member, Range{(begin - member.begin) / size, (end - member.begin) / size});
    }
  });
}

/// Calls f(group, member, packet, first element, number of elements) for this thread's packets.
template <class Block, class Arguments, class F>
KOINON_FORCE_INLINE void for_each_member_packet(Block const& block, Arguments const& a, F&& f) {
  std::size_t const stride = static_cast<std::size_t>(block.threads()) * static_cast<std::size_t>(block.count());
  std::size_t packet = static_cast<std::size_t>(block.index()) * static_cast<std::size_t>(block.threads()) +
                       static_cast<std::size_t>(block.thread());
  a.for_each_group([&]<class Group>(Group const& group) {
    constexpr std::size_t n = static_cast<std::size_t>(packet_elements<typename Group::Element, Block>);
    KOINON_KEEP_ROLLED
    for (int m = 0; m < group.members; ++m) {
      auto const& member = group.list[m];
      for (;; packet += stride) {
        std::size_t const i = (packet - member.first_packet) * n;
        if (i >= member.count) break;
        f(group, member, packet, i, static_cast<int>(smaller(n, member.count - i)));
      }
    }
  });
}

}  // namespace Koinon::Impl
