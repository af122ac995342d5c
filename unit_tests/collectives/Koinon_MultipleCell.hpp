// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_Session.hpp>
#include <support/Koinon_Random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

/// What random calls of the operations on several arrays are made of.
namespace Koinon::Testing {

#if defined(KOINON_TEST_CUDA)
using MultipleSpace = EmulatedCudaStream;
#else
using MultipleSpace = TeamOf<3>;
#endif

/// Returns the numbers of ranks of the cases; on a device no more than share one well.
inline std::vector<int> multiple_rank_counts() {
#if defined(KOINON_TEST_CUDA)
  return rank_counts();
#else
  return many_rank_counts();
#endif
}

/// Is an element of 12 bytes that is only moved.
struct Triple {
  std::int32_t values[3];
};

/// Is the element type of member M: widths of 4, 8, 2, 1 and 12 bytes in turn.
using MemberTypes = std::tuple<std::int32_t, std::int64_t, bfloat16, std::uint8_t, Triple>;
template <std::size_t M>
using MemberType = std::tuple_element_t<M % std::tuple_size_v<MemberTypes>, MemberTypes>;
inline constexpr std::array<std::size_t, 5> member_bytes{4, 8, 2, 1, 12};

/// Is an array of rows with all the memory around it: what nobody may write is compared too.
struct MemberRows {
  std::size_t bytes = 1;  // of an element
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::ptrdiff_t row_stride = 0;
  std::ptrdiff_t column_stride = 1;
  std::size_t shift = 0;  // in elements
  std::vector<std::byte> memory;
  std::byte* base = nullptr;  // where kernels find it; null: here

  /// Draws how an array lies: dense, rows apart, or columns first; anywhere in memory. The same on all ranks or not.
  MemberRows(std::size_t element_bytes, std::size_t r, std::size_t c, Random& own)
      : bytes(element_bytes), rows(r), columns(c), shift(own.below(9)) {
    std::size_t const apart = own.one_in(3) ? own.below(4) : 0;
    if (own.one_in(6)) {
      row_stride = 1;
      column_stride = static_cast<std::ptrdiff_t>(rows + apart);
    } else {
      row_stride = static_cast<std::ptrdiff_t>(columns + apart);
    }
    memory.resize((shift + (rows + 4) * (columns + 4) + 8) * bytes);
    reset();
  }

  /// Forgets all elements.
  void reset() { std::fill(memory.begin(), memory.end(), std::byte{0xA5}); }

  [[nodiscard]] std::byte* at(std::size_t row, std::size_t column) {
    return memory.data() + (static_cast<std::ptrdiff_t>(shift) + static_cast<std::ptrdiff_t>(row) * row_stride +
                            static_cast<std::ptrdiff_t>(column) * column_stride) *
                               static_cast<std::ptrdiff_t>(bytes);
  }
  /// Returns rows from one on as an array.
  template <class T>
  [[nodiscard]] Array<T, 2> as(std::size_t first, std::size_t count) {
    Array<T, 2> a;
    a.pointer = reinterpret_cast<T*>((base != nullptr ? base : memory.data()) + (at(first, 0) - memory.data()));
    a.extents[0] = count;
    a.extents[1] = columns;
    a.strides[0] = row_stride;
    a.strides[1] = column_stride;
    return a;
  }
  /// Writes the bytes that element (row, column) of a rank's array has.
  void put(std::size_t row, std::size_t column, std::uint64_t seed, int rank, std::size_t rank_row) {
    for (std::size_t b = 0; b < bytes; ++b) {
      at(row, column)[b] = static_cast<std::byte>(element_bits(seed, rank, (rank_row * columns + column) * bytes + b));
    }
  }
};

/// Is where the arrays of one call lie if kernels cannot reach the host's memory: they are copied there and back.
class CallMemory {
 public:
  explicit CallMemory(SpaceMemory const* memory) : m_memory(memory) {}

  /// Adds what two arrays of at most so many rows and columns take.
  static void count(std::size_t& bytes, std::size_t element_bytes, std::size_t rows, std::size_t columns) {
    bytes += 2 * ((9 + (rows + 4) * (columns + 4) + 8) * element_bytes + alignment);
  }
  [[nodiscard]] bool has_room(std::size_t bytes) const {
    return m_memory == nullptr || bytes <= m_memory->private_bytes();
  }

  void place(std::vector<MemberRows>& arrays) {
    if (m_memory == nullptr) return;
    for (MemberRows& rows : arrays) {
      rows.base = m_memory->private_memory() + m_taken;
      m_taken += (rows.memory.size() + alignment - 1) / alignment * alignment;
      m_memory->upload(rows.base, rows.memory.data(), rows.memory.size());
    }
  }
  void fetch(std::vector<MemberRows>& arrays) {
    if (m_memory == nullptr) return;
    for (MemberRows& rows : arrays) m_memory->download(rows.memory.data(), rows.base, rows.memory.size());
  }

 private:
  static constexpr std::size_t alignment = 256;

  SpaceMemory const* m_memory;
  std::size_t m_taken = 0;
};

/// Is one random call on several arrays, as a rank sees it: the arrays, and what they held before it.
class MultipleCell {
 public:
  /// Says, on all ranks alike, whether there is memory for the arrays.
  [[nodiscard]] bool has_room() const { return CallMemory(m_memory).has_room(m_bytes); }
  /// Returns what the arrays take, on all ranks alike.
  [[nodiscard]] std::size_t bytes() const { return m_bytes; }
  [[nodiscard]] SpaceMemory const* memory() const { return m_memory; }

  /// Runs what makes the call, with the arrays where kernels reach them: at the same place each time.
  template <class F>
  void run(F const& make_call) {
    m_out_before = m_out;
    m_in_before = m_in;
    CallMemory memory = place();
    make_call();
    memory.fetch(m_in);
    memory.fetch(m_out);
  }

 protected:
  MultipleCell(int rank, int ranks, std::uint64_t seed, SpaceMemory const* memory)
      : m_rank(rank), m_ranks(ranks), m_memory(memory), m_seed(seed) {}

  void add_arrays(std::size_t element_bytes, std::size_t in_rows, std::size_t out_rows, std::size_t columns,
                  std::size_t most_rows, Random& own) {
    CallMemory::count(m_bytes, element_bytes, most_rows, columns);
    m_out.emplace_back(element_bytes, out_rows, columns, own);
    m_in.emplace_back(element_bytes, in_rows, columns, own);
    m_in_place.push_back(own.one_in(4));
  }
  /// Takes other inputs; none is in the arrays yet.
  void reset(std::uint64_t seed) {
    m_seed = seed;
    for (MemberRows& rows : m_in) rows.reset();
    for (MemberRows& rows : m_out) rows.reset();
  }
  CallMemory place() {
    CallMemory memory(m_memory);
    memory.place(m_in);
    memory.place(m_out);
    return memory;
  }
  /// Expects these bytes in the output of a member, and its input as it was.
  void expect_member(std::size_t m, MemberRows const& expected, std::string const& what) const {
    EXPECT_EQ(expected.memory, m_out[m].memory) << what << ": out of member " << m << ", rank " << m_rank;
    EXPECT_EQ(m_in_before[m].memory, m_in[m].memory) << what << ": in of member " << m << ", rank " << m_rank;
  }

  int m_rank;
  int m_ranks;
  SpaceMemory const* m_memory;
  std::uint64_t m_seed;
  std::size_t m_bytes = 0;
  std::vector<MemberRows> m_in;
  std::vector<MemberRows> m_out;
  std::vector<MemberRows> m_in_before;
  std::vector<MemberRows> m_out_before;
  std::vector<bool> m_in_place;
};

}  // namespace Koinon::Testing
