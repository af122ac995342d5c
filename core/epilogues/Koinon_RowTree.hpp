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

/// Joins values in the order of the tree, given one after the other.
template <class Op>
class RowTree {
 public:
  KOINON_FORCE_INLINE void push(float value) {
    int level = 0;
    for (; (m_count >> level & 1u) != 0; ++level) value = Op::join(m_kept[level], value);
    m_kept[level] = value;
    ++m_count;
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
