// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CoreWithoutMpi.hpp>
#include <support/Koinon_Random.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/// The root-mean-square norm of a sum, in double, and how far results may be from it.
namespace Koinon::Testing {

template <class T>
double as_double(T value) {
  return static_cast<double>(static_cast<float>(value));
}

/// Returns a number of [-4, 4) that T has.
template <class T>
T drawn(std::uint64_t seed, int rank, std::size_t index) {
  return T(static_cast<float>(element_bits(seed, rank, index) % 8192) / 1024.0f - 4.0f);
}

/// Returns the distance of neighbours of a value in T.
template <class T>
double ulp(double value) {
  using Limits = std::numeric_limits<T>;
  int const exponent = value == 0 ? Limits::min_exponent : std::ilogb(value) + 1;
  return std::ldexp(1.0, std::max(exponent, Limits::min_exponent) - Limits::digits);
}

/// Is one row of the answer.
struct NormRow {
  std::vector<double> sum;        // with the residual
  std::vector<double> sum_bound;  // how far a sum in float may be from it
  std::vector<double> norm;
  std::vector<double> norm_bound;

  /// @param in of every rank, then the residual or none; @param weight with the offset
  NormRow(std::vector<std::vector<double>> const& in, std::vector<double> const& weight, double epsilon) {
    std::size_t const columns = weight.size();
    double squares = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      double s = 0;
      double magnitude = 0;
      for (auto const& values : in) {
        s += values[c];
        magnitude += std::abs(values[c]);
      }
      sum.push_back(s);
      sum_bound.push_back(std::ldexp(static_cast<double>(in.size()) * magnitude, -24));
      squares += s * s;
    }
    double const factor = 1.0 / std::sqrt(squares / static_cast<double>(columns) + epsilon);
    for (std::size_t c = 0; c < columns; ++c) {
      norm.push_back(sum[c] * factor * weight[c]);
      norm_bound.push_back(4e-6 * std::abs(norm[c]) + sum_bound[c] * factor * std::abs(weight[c]));
    }
  }
};

/// Says how a result differs from what it should be by more than its type's last place; empty: it does not.
template <class T>
std::string differs(T got, double expected, double bound) {
  double const largest = as_double(std::numeric_limits<T>::max());
  double const wanted = std::clamp(expected, -largest, largest);
  double const most = bound + (sizeof(T) < sizeof(float) ? ulp<T>(wanted) : 0.0);
  double const off = std::abs(as_double(got) - wanted);
  if (off <= most) return {};
  return std::to_string(as_double(got)) + " instead of " + std::to_string(wanted) + ", off by " + std::to_string(off) +
         " where " + std::to_string(most) + " is allowed";
}

}  // namespace Koinon::Testing
