// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <reducers/Koinon_Reducers.hpp>

#include <cstddef>
#include <limits>

/// The order in which the values of a row are reduced: neighbours first, a binary tree over all columns. It depends on the
/// number of columns alone, not on threads, algorithm or backend: what is missing to a power of two changes no bit.
namespace Koinon::Impl {

struct RowSum {
  static constexpr float identity = 0.0f;
  static KOINON_FORCE_INLINE float join(float a, float b) { return a + b; }
};

/// A NaN counts only where there is nothing else; -0 < +0.
struct RowMax {
  static constexpr float identity = std::numeric_limits<float>::quiet_NaN();
  static KOINON_FORCE_INLINE float join(float a, float b) { return Max::join(a, b); }
};

/// Is how many neighbouring columns belong to one thread.
inline constexpr int row_group = 8;

template <class Op>
[[nodiscard]] KOINON_FORCE_INLINE float join_group(float const (&part)[row_group]) {
  return Op::join(Op::join(Op::join(part[0], part[1]), Op::join(part[2], part[3])),
                  Op::join(Op::join(part[4], part[5]), Op::join(part[6], part[7])));
}

/// Joins neighbours until one value is left, in place. N is a power of two.
template <class Op, int N>
[[nodiscard]] KOINON_FORCE_INLINE float join_neighbours(float (&part)[N]) {
  if constexpr (N == 1) {
    return part[0];
  } else {
    float joined[N / 2];
    KOINON_INDEPENDENT_ELEMENTS
    for (int e = 0; e < N / 2; ++e) joined[e] = Op::join(part[2 * e], part[2 * e + 1]);
    return join_neighbours<Op>(joined);
  }
}

/// Joins values in the order of the tree, given one after the other.
template <class Op>
class RowTree {
 public:
  /// @param level of the tree that the value is on: 2^level of those on level 0. @pre a multiple of that many came before
  KOINON_FORCE_INLINE void push(float value, int level = 0) {
    unsigned const weight = 1u << level;
    for (; (m_count >> level & 1u) != 0; ++level) value = Op::join(m_kept[level], value);
    m_kept[level] = value;
    m_count += weight;
  }
  [[nodiscard]] KOINON_FORCE_INLINE float result() const {
    float value = Op::identity;
    bool first = true;
    for (int level = 0; m_count >> level != 0; ++level) {
      if ((m_count >> level & 1u) == 0) continue;
      value = first ? m_kept[level] : Op::join(m_kept[level], value);
      first = false;
    }
    return value;
  }

 private:
  float m_kept[32];
  unsigned m_count = 0;
};

}  // namespace Koinon::Impl
