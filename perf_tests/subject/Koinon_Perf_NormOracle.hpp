// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Case.hpp>
#include <Koinon_Perf_Pattern.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace Koinon::Perf {

/// Calls write(element, count, start in the tile) for what a norm reads besides: residual and weight, the same in every
/// call, the residual the same on every rank.
template <class Write>
void write_norm_inputs(Case const& what, int rank, Write const& write) {
  if (what.norm == Norm::none) return;
  auto const parts = what.norm_parts(rank);
  auto const scatters = what.operation == Operation::reduce_scatter;
  constexpr auto period = Pattern<float>::period;
  if (what.has_residual())
    write(parts.residual, scatters ? what.elements_of(rank) : what.elements(),
          scatters ? what.offset_of(rank) % period : std::size_t{0});
  write(parts.weight, what.columns, std::size_t{0});
}

/// Knows in double what a reduction with a norm behind it has to give. Element i of the whole array depends on i modulo
/// the pattern's period only, until a row's mean square comes in.
template <class T>
class NormOracle {
 public:
  NormOracle(Case const& what, Pattern<T> const& pattern, int rank, int ranks, std::size_t iteration)
      : m_case(what), m_rank(rank), m_tile(pattern.tile().data()), m_sum(period), m_sum_bound(period) {
    auto const terms = ranks + (what.has_residual() ? 1 : 0);
    for (std::size_t i = 0; i < period; ++i) {
      double magnitude = 0;
      for (int term = 0; term < terms; ++term) {
        auto const start = term < ranks ? Pattern<T>::start(term, iteration) : 0;
        auto const value = static_cast<double>(m_tile[(start + i) % period]);
        m_sum[i] += value;
        magnitude += std::abs(value);
      }
      // In float; who has no such sums rounds whole numbers that do not fit T once a rank.
      auto const fits = magnitude <= std::ldexp(1.0, std::numeric_limits<T>::digits);
      auto const step = fits ? std::ldexp(1.0, -24) : static_cast<double>(std::numeric_limits<T>::epsilon());
      m_sum_bound[i] = terms * magnitude * step;
    }
  }

  /// Counts wrong elements of all outputs.
  std::uint64_t count_wrong(T const* out) const {
    auto const parts = m_case.norm_parts(m_rank);
    auto const scatters = m_case.operation == Operation::reduce_scatter;
    auto const columns = m_case.columns;
    auto const rows = scatters ? m_case.counts[static_cast<std::size_t>(m_rank)] : m_case.rows;
    auto const first = scatters ? m_case.offset_of(m_rank) : 0;
    auto const* const quantized = reinterpret_cast<float8_e4m3 const*>(out + parts.norm_out);
    auto const* const scales = reinterpret_cast<std::byte const*>(out + parts.scales);
    std::vector<double> norm(columns), bound(columns);
    std::uint64_t wrong = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      auto const at = [&](std::size_t c) { return (first + r * columns + c) % period; };
      compute_row(at, norm, bound);
      if (m_case.has_residual())
        for (std::size_t c = 0; c < columns; ++c)
          wrong += !is_near(out[parts.residual_out + r * columns + c], m_sum[at(c)], m_sum_bound[at(c)]);
      switch (m_case.norm) {
        case Norm::fp8:
          wrong += count_wrong_quantized(quantized + r * columns, norm, bound, 0, columns, static_cast<double>(Case::scale));
          break;
        case Norm::fp8_groups:
          wrong += count_wrong_groups(quantized + r * columns, scales + r * m_case.groups() * sizeof(float), norm, bound);
          break;
        default:
          for (std::size_t c = 0; c < columns; ++c)
            wrong += !is_near(out[parts.norm_out + r * columns + c], norm[c], bound[c]);
      }
    }
    return wrong;
  }

 private:
  static constexpr std::size_t period = Pattern<T>::period;
  static constexpr double relative = 4e-6;  // of what is computed in float

  template <class At>
  void compute_row(At const& at, std::vector<double>& norm, std::vector<double>& bound) const {
    double squares = 0;
    for (std::size_t c = 0; c < norm.size(); ++c) squares += m_sum[at(c)] * m_sum[at(c)];
    auto const mean = squares / static_cast<double>(norm.size());
    auto const factor = 1 / std::sqrt(mean + static_cast<double>(Case::epsilon));
    for (std::size_t c = 0; c < norm.size(); ++c) {
      auto const weight = static_cast<double>(m_tile[c % period]) + static_cast<double>(Case::weight_offset);
      norm[c] = m_sum[at(c)] * factor * weight;
      bound[c] = relative * std::abs(norm[c]) + m_sum_bound[at(c)] * factor * std::abs(weight);
    }
  }

  static std::uint64_t count_wrong_quantized(float8_e4m3 const* got, std::vector<double> const& norm,
                                             std::vector<double> const& bound, std::size_t begin, std::size_t end,
                                             double scale) {
    std::uint64_t wrong = 0;
    for (auto c = begin; c < end; ++c) wrong += !is_near(got[c], norm[c] / scale, bound[c] / scale);
    return wrong;
  }

  /// The quantized values are held against the scale that came with them, the scale against the group's largest value.
  static std::uint64_t count_wrong_groups(float8_e4m3 const* got, std::byte const* scales, std::vector<double> const& norm,
                                          std::vector<double> const& bound) {
    std::uint64_t wrong = 0;
    for (std::size_t begin = 0, g = 0; begin < norm.size(); begin += Case::group, ++g) {
      auto const end = std::min(begin + Case::group, norm.size());
      double most = 1e-10, slack = 0;
      for (auto c = begin; c < end; ++c) {
        most = std::max(most, std::abs(norm[c]));
        slack = std::max(slack, bound[c]);
      }
      float scale = 0;
      std::memcpy(&scale, scales + g * sizeof scale, sizeof scale);
      wrong += !is_near(scale, most / 448, (slack + relative * most) / 448);
      wrong += count_wrong_quantized(got, norm, bound, begin, end, static_cast<double>(scale));
    }
    return wrong;
  }

  /// Tells whether a result is as near as it has to be: narrow ones a place of their type besides, saturated. Not a NaN.
  template <class Got>
  static bool is_near(Got got, double expected, double bound) {
    using Limits = std::numeric_limits<Got>;
    auto const largest = static_cast<double>(Limits::max());
    auto const wanted = std::clamp(expected, -largest, largest);
    if constexpr (sizeof(Got) < sizeof(float)) {
      auto const exponent = wanted == 0 ? Limits::min_exponent : std::max(std::ilogb(wanted) + 1, Limits::min_exponent);
      bound += std::ldexp(1.0, exponent - Limits::digits);
    }
    return std::abs(static_cast<double>(got) - wanted) <= bound;
  }

  Case const& m_case;
  int m_rank;
  T const* m_tile;
  std::vector<double> m_sum, m_sum_bound;
};

}  // namespace Koinon::Perf
