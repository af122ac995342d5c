// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>

#include <cmath>
#include <cstdint>

/// Element types and reducers as a user would write them. `expected` is the oracle, a fold in rank order.
namespace Koinon::Testing {

/// The map x -> a x + b modulo 2^32: composing does not commute, so the order of ranks shows.
struct Affine {
  std::uint32_t a;
  std::uint32_t b;
};

struct Compose {
  KOINON_INLINE_FUNCTION void init(Affine& value) const { value = {1, 0}; }
  KOINON_INLINE_FUNCTION Affine join(Affine const& f, Affine const& g) const { return {f.a * g.a, f.a * g.b + f.b}; }

  static Affine expected(Affine const* values, int ranks) {
    Affine result = values[0];
    for (int p = 1; p < ranks; ++p) {
      result.b += result.a * values[p].b;
      result.a *= values[p].a;
    }
    return result;
  }
};

/// Three bytes: no power of two, no alignment.
struct Rgb {
  std::uint8_t red;
  std::uint8_t green;
  std::uint8_t blue;
};

struct Brighten {
  KOINON_INLINE_FUNCTION void init(Rgb& value) const { value = {0, 0, 0}; }
  KOINON_INLINE_FUNCTION void join(Rgb& a, Rgb const& b) const {
    a.red = add(a.red, b.red);
    a.green = add(a.green, b.green);
    a.blue = add(a.blue, b.blue);
  }

  static Rgb expected(Rgb const* values, int ranks) {
    unsigned sums[3] = {};
    for (int p = 0; p < ranks; ++p) {
      sums[0] += values[p].red;
      sums[1] += values[p].green;
      sums[2] += values[p].blue;
    }
    for (unsigned& sum : sums) sum = sum > 255 ? 255 : sum;
    return {static_cast<std::uint8_t>(sums[0]), static_cast<std::uint8_t>(sums[1]), static_cast<std::uint8_t>(sums[2])};
  }

 private:
  static KOINON_INLINE_FUNCTION std::uint8_t add(unsigned a, unsigned b) {
    return static_cast<std::uint8_t>(a + b > 255 ? 255 : a + b);
  }
};

/// A hundred bytes: more than a packet carries.
struct Wide {
  std::uint32_t words[25];
};

/// Neither commutes nor associates: only the fold in rank order gives the expected bits.
struct Polynomial {
  KOINON_INLINE_FUNCTION void init(Wide& value) const { value = {}; }
  KOINON_INLINE_FUNCTION void join(Wide& a, Wide const& b) const {
    for (int i = 0; i < 25; ++i) a.words[i] = a.words[i] * 31 + b.words[i];
  }

  static Wide expected(Wide const* values, int ranks) {
    Wide result{};
    for (int i = 0; i < 25; ++i) {
      std::uint32_t sum = values[0].words[i];
      for (int p = 1; p < ranks; ++p) sum = 31 * sum + values[p].words[i];
      result.words[i] = sum;
    }
    return result;
  }
};

/// A user's reducer of a built-in type, with a member that must travel.
struct ClampedMax {
  float limit = 0.75f;
  KOINON_INLINE_FUNCTION void init(float& value) const { value = -limit; }
  KOINON_INLINE_FUNCTION float join(float a, float b) const {
    float const larger = a < b ? b : a;
    return larger < limit ? larger : limit;
  }

  static float expected(float const* values, int ranks) {
    float result = values[0];
    for (int p = 1; p < ranks; ++p) result = std::fmin(std::fmax(result, values[p]), 0.75f);
    return result;
  }
};

template <class R>
inline constexpr bool is_user_reducer = false;
template <>
inline constexpr bool is_user_reducer<Compose> = true;
template <>
inline constexpr bool is_user_reducer<Brighten> = true;
template <>
inline constexpr bool is_user_reducer<Polynomial> = true;
template <>
inline constexpr bool is_user_reducer<ClampedMax> = true;

}  // namespace Koinon::Testing
