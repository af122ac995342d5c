// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <support/Koinon_UserTypes.hpp>

namespace Koinon::Testing {

/// More bytes than a packet carries: such elements have no low-latency form.
struct Huge {
  std::uint32_t words[300];
};

struct SumOfHuge {
  KOINON_INLINE_FUNCTION void init(Huge& value) const { value = {}; }
  KOINON_INLINE_FUNCTION void join(Huge& a, Huge const& b) const {
    for (int i = 0; i < 300; ++i) a.words[i] = a.words[i] * 3 + b.words[i];
  }

  static Huge expected(Huge const* values, int ranks) {
    Huge result{};
    for (int p = 0; p < ranks; ++p) {
      for (int i = 0; i < 300; ++i)
        result.words[i] = p == 0 ? values[0].words[i] : 3 * result.words[i] + values[p].words[i];
    }
    return result;
  }
};

/// Stricter alignment than any built-in type's: a packet or a staged element at another address must not be read as
/// one.
struct alignas(32) Aligned {
  float values[8];
};

struct MaxOfAligned {
  KOINON_INLINE_FUNCTION void init(Aligned& value) const { value = {}; }
  KOINON_INLINE_FUNCTION Aligned join(Aligned const& a, Aligned const& b) const {
    Aligned result{};
    for (int i = 0; i < 8; ++i) result.values[i] = a.values[i] < b.values[i] ? b.values[i] : a.values[i];
    return result;
  }

  static Aligned expected(Aligned const* values, int ranks) {
    Aligned result = values[0];
    for (int p = 1; p < ranks; ++p) {
      for (int i = 0; i < 8; ++i) {
        if (result.values[i] < values[p].values[i]) result.values[i] = values[p].values[i];
      }
    }
    return result;
  }
};

template <>
inline constexpr bool is_user_reducer<SumOfHuge> = true;
template <>
inline constexpr bool is_user_reducer<MaxOfAligned> = true;

}  // namespace Koinon::Testing
