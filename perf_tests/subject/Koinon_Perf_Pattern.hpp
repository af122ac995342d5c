// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Case.hpp>
#include <Koinon_Perf_Element.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

namespace Koinon::Perf {

/// The values of all inputs: a tile of a prime number of values, from which every rank reads on from another place in
/// every call. So an input is rewritten at the speed of a copy from the first cache, each call has other values, and
/// the expected results have the tile's period too: they are computed once a call and compared at the speed of memory.
///
/// Values are small whole numbers: sums are exact while they fit the significand.
template <class T>
class Pattern {
 public:
  static constexpr std::size_t period = 1021;  // prime: a chunk that lands elsewhere is seen, whatever its size
  static constexpr std::size_t chunk = 1024;   // keeps the copies as aligned as the array is

  explicit Pattern(ReducerName reducer) : m_reducer(reducer) {
    for (std::size_t i = 0; i < m_tile.size(); ++i) m_tile[i] = value_of(i % period);
  }

  /// Returns from where in the tile a rank reads in that call.
  static std::size_t start(int rank, std::size_t iteration) {
    return (static_cast<std::size_t>(rank) * 389 + iteration * 17) % period;
  }

  /// Returns the values that writing copies: one period, and its begin again.
  std::array<T, period + chunk> const& tile() const { return m_tile; }

  /// Writes the input of one rank and call. @post to[i] == tile[(start + i) % period]
  void write(T* to, std::size_t count, std::size_t start) const {
    constexpr std::size_t few = 16;  // below it a call of memcpy costs more than the copy
    if (count <= few) {
      for (std::size_t i = 0; i < count; ++i) to[i] = m_tile[start + i];
      return;
    }
    for (std::size_t done = 0; done < count; done += chunk) {
      std::memcpy(to + done, m_tile.data() + start, std::min(chunk, count - done) * sizeof(T));
      start = (start + chunk) % period;
    }
  }

  /// Counts elements that differ from the input of a rank, bit for bit: what a moving operation must give.
  std::size_t count_moved_wrong(T const* got, std::size_t count, std::size_t start) const {
    std::size_t wrong = 0;
    for (std::size_t done = 0; done < count; done += chunk) {
      auto const part = std::min(chunk, count - done);
      if (std::memcmp(got + done, m_tile.data() + start, part * sizeof(T)) != 0)
        for (std::size_t i = 0; i < part; ++i)
          wrong += std::memcmp(got + done + i, m_tile.data() + start + i, sizeof(T)) != 0;
      start = (start + chunk) % period;
    }
    return wrong;
  }

  /// Counts elements that differ from the reduction over all ranks' inputs.
  /// @param first where in the whole array got[0] stands
  std::size_t count_reduced_wrong(T const* got, std::size_t count, std::size_t first, int ranks,
                                  std::size_t iteration) const {
    std::vector<Expected> expected(period);
    for (std::size_t i = 0; i < period; ++i) expected[i] = expect(i, ranks, iteration);
    std::size_t wrong = 0;
    for (std::size_t i = 0, at = first % period; i < count; ++i, at = at + 1 == period ? 0 : at + 1)
      wrong += !expected[at].allows(got[i]);
    return wrong;
  }

 private:
  struct Expected {
    oracle_t<T> value;
    double tolerance;  // 0: exact

    bool allows(T got) const {
      auto const number = to_oracle(got);
      if (number == value) return true;
      if constexpr (std::is_integral_v<T>)
        return false;
      else
        return std::abs(number - value) <= tolerance;  // false for a NaN
    }
  };

  /// Scatters neighbours, so that the tile does not resemble itself a few places on.
  static unsigned mix(std::size_t i) {
    auto word = static_cast<std::uint64_t>(i + 1) * 0x9e3779b97f4a7c15u;
    word = (word ^ (word >> 32)) * 0xd6e8feb86659fd93u;
    return static_cast<unsigned>(word >> 40);
  }

  T value_of(std::size_t i) const {
    auto const mixed = mix(i) % 1009;
    if constexpr (std::is_integral_v<T>) {
      if (is_bitwise(m_reducer)) return static_cast<T>(mixed * 2654435761u);
      return static_cast<T>(m_reducer == ReducerName::prod ? 1 + mixed % 3 : mixed);
    } else {
      // A product of 33 such factors stays within the range of the narrowest type.
      if (m_reducer == ReducerName::prod) return static_cast<T>(mixed % 2 == 0 ? 1.0f : -1.0f);
      auto const most = std::numeric_limits<T>::digits <= 4 ? 3u : 17u;
      return static_cast<T>(static_cast<float>(mixed % most) - static_cast<float>(most / 3));
    }
  }

  Expected expect(std::size_t i, int ranks, std::size_t iteration) const {
    auto total = to_oracle(m_tile[start(0, iteration) + i]);
    double magnitude = std::abs(static_cast<double>(total));
    for (int rank = 1; rank < ranks; ++rank) {
      auto const next = to_oracle(m_tile[(start(rank, iteration) + i) % period]);
      magnitude += std::abs(static_cast<double>(next));
      total = join(total, next);
    }
    if (m_reducer == ReducerName::average) total = static_cast<oracle_t<T>>(total / static_cast<oracle_t<T>>(ranks));
    if constexpr (std::is_integral_v<T>) {
      return {total, 0};
    } else {
      // Partial sums that all fit the significand leave nothing to round; the others may round once a rank.
      auto const averages = m_reducer == ReducerName::average;
      auto const adds = averages || m_reducer == ReducerName::sum;
      auto const fits = magnitude <= std::ldexp(1.0, std::numeric_limits<T>::digits);
      auto const step = static_cast<double>(std::numeric_limits<T>::epsilon());
      if (adds && !fits) return {total, step * magnitude * (averages ? 1 : ranks)};
      return {total, averages ? step * std::abs(total) : 0};
    }
  }

  oracle_t<T> join(oracle_t<T> a, oracle_t<T> b) const {
    if constexpr (std::is_integral_v<T>) {
      using Unsigned = std::make_unsigned_t<T>;  // wraps, as the reducers say
      switch (m_reducer) {
        case ReducerName::prod:
          return static_cast<T>(static_cast<Unsigned>(a) * static_cast<Unsigned>(b));
        case ReducerName::min:
          return std::min(a, b);
        case ReducerName::max:
          return std::max(a, b);
        case ReducerName::band:
          return a & b;
        case ReducerName::bor:
          return a | b;
        case ReducerName::bxor:
          return a ^ b;
        default:
          return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
      }
    } else {
      switch (m_reducer) {
        case ReducerName::prod:
          return a * b;
        case ReducerName::min:
          return std::min(a, b);
        case ReducerName::max:
          return std::max(a, b);
        default:
          return a + b;
      }
    }
  }

  ReducerName m_reducer;
  std::array<T, period + chunk> m_tile;  // goes on after the period, so that a chunk can be read from any start
};

}  // namespace Koinon::Perf
