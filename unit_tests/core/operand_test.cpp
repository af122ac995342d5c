// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <arrays/Koinon_Operand.hpp>
#include <collectives/Koinon_CanonicalCall.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

namespace Koinon::Impl {
namespace {

std::vector<int> numbered(std::size_t count) {
  std::vector<int> memory(count);
  std::iota(memory.begin(), memory.end(), 0);
  return memory;
}

/// Four bytes at any address, and two floats.
struct Rgba {
  std::uint8_t parts[4];
};
struct Both {
  float a;
  float b;
};

TEST(MovedElement, IsAnIntegerOnlyWhereTheTypeIsAsAligned) {
  static_assert(std::is_same_v<moved_element_t<float>, std::uint32_t>);
  static_assert(std::is_same_v<moved_element_t<double>, std::uint64_t>);
  static_assert(sizeof(moved_element_t<Rgba>) == 4 && alignof(moved_element_t<Rgba>) == 1);
  static_assert(sizeof(moved_element_t<Both>) == 8 && alignof(moved_element_t<Both>) == 4);
  // At an odd address: a wide access would be one of an unaligned integer.
  alignas(8) std::byte from[9] = {};
  alignas(8) std::byte to[9] = {};
  for (int i = 0; i < 9; ++i) from[i] = static_cast<std::byte>(i + 1);
  using Moved = moved_element_t<Rgba>;
  copy_element(reinterpret_cast<Moved*>(to + 1), reinterpret_cast<Moved const*>(from + 3));
  EXPECT_EQ(to[0], std::byte{0});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(to[1 + i], from[3 + i]);
  EXPECT_EQ(to[5], std::byte{0});
}

TEST(Operand, OfADenseArrayOfAnyRankIsDense) {
  std::vector<int> memory = numbered(60);
  EXPECT_TRUE(Operand<int>(Array<int, 0>(memory.data())).dense);
  EXPECT_TRUE(Operand<int>(Array<int, 1>(memory.data(), 60)).dense);
  EXPECT_TRUE(Operand<int>(Array<int, 3>(memory.data(), 3, 4, 5)).dense);
  EXPECT_EQ(Operand<int>(Array<int, 3>(memory.data(), 3, 4, 5)).count, 60u);
  EXPECT_EQ(Operand<int>(Array<int, 0>(memory.data())).count, 1u);
}

TEST(Operand, IgnoresTheStrideOfADimensionOfOneElement) {
  std::vector<int> memory = numbered(60);
  Array<int, 3> a(memory.data(), 1, 12, 1);
  a.strides[0] = 999;
  a.strides[2] = 777;
  EXPECT_TRUE(Operand<int>(a).dense);
}

TEST(Operand, OfAColumnSubviewOrALeftLayoutIsNot) {
  std::vector<int> memory = numbered(60);
  Array<int, 2> subview(memory.data(), 4, 3);
  subview.strides[0] = 10;
  EXPECT_FALSE(Operand<int>(subview).dense);
  Array<int, 2> left(memory.data(), 4, 3);
  left.strides[0] = 1;
  left.strides[1] = 4;
  EXPECT_FALSE(Operand<int>(left).dense);
}

TEST(Operand, NumbersElementsInRowMajorOrderOfTheIndices) {
  std::vector<int> memory = numbered(1000);
  Array<int, 3> a(memory.data(), 3, 4, 5);
  a.strides[0] = 1;
  a.strides[1] = 50;
  a.strides[2] = 7;
  Operand<int> const operand(a);
  std::size_t at = 0;
  std::vector<int> all(60);
  operand.load_some(all.data(), 0, 60);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t k = 0; k < 5; ++k, ++at) {
        ASSERT_EQ(operand.address(at), &a(i, j, k));
        ASSERT_EQ(all[at], a(i, j, k));
      }
    }
  }
  EXPECT_EQ(at, operand.count);
}

TEST(Operand, StoresSomeElementsFromAnyOneOnAndNoOthers) {
  for (std::size_t first = 0; first < 12; ++first) {
    for (int n = 0; first + static_cast<std::size_t>(n) <= 12; ++n) {
      std::vector<int> memory(40, -1);
      Array<int, 2> a(memory.data(), 4, 3);
      a.strides[0] = 10;
      Operand<int> const operand(a);
      std::vector<int> const values = numbered(12);
      operand.store_some(first, values.data(), n);
      std::size_t written = 0;
      for (int const each : memory) written += each != -1;
      ASSERT_EQ(written, static_cast<std::size_t>(n));
      for (int e = 0; e < n; ++e) ASSERT_EQ(*operand.address(first + static_cast<std::size_t>(e)), e);
    }
  }
}

TEST(Operand, OfNothingHasNoElement) {
  EXPECT_EQ(Operand<int>(Array<int, 2>(static_cast<int*>(nullptr), 0, 5)).count, 0u);
  EXPECT_EQ(Operand<int>(Array<int, 2>(static_cast<int*>(nullptr), 5, 0)).count, 0u);
}

}  // namespace
}  // namespace Koinon::Impl
