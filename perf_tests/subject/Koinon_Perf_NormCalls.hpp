// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CoreWithoutMpi.hpp>
#include <Koinon_Perf_Case.hpp>
#include <Koinon_Perf_Exercise.hpp>
#include <Koinon_Perf_Policy.hpp>

#include <cstddef>
#include <string>

namespace Koinon::Perf {

/// Koinon's reductions with RmsNorm behind them; the arrays of the case hold all parts, as its norm_parts say.
template <class T>
class NormCalls {
 public:
  NormCalls(Case const& what, int rank, Arrays const& arrays) : m_case(what) {
    auto const parts = what.norm_parts(rank);
    auto const scatters = what.operation == Operation::reduce_scatter;
    auto const rows = scatters ? what.counts[static_cast<std::size_t>(rank)] : what.rows;
    auto* const in = static_cast<T*>(arrays.in);
    auto* const out = static_cast<T*>(arrays.out);
    m_in = In(in, what.rows, what.columns);
    m_residual = In(in + parts.residual, rows, what.columns);
    m_weight = Weight(in + parts.weight, what.columns);
    m_residual_out = Out(out + parts.residual_out, rows, what.columns);
    m_norm_out = Out(out + parts.norm_out, rows, what.columns);
    m_quantized_out = Quantized(reinterpret_cast<float8_e4m3*>(out + parts.norm_out), rows, what.columns);
    m_scales_out = Scales(reinterpret_cast<float*>(out + parts.scales), rows, what.groups());
  }

  template <class Policy>
  Call call(Policy const& policy) const {
    return with_norm([&](auto const& norm) -> Call {
      auto const label = m_case.label;
      auto const in = m_in;
      if (m_case.operation == Operation::all_reduce) return [=] { all_reduce(label, policy, in, norm); };
      return [=, counts = Counts(m_case.counts)] { reduce_scatter(label, policy, in, Sum{}, counts, norm); };
    });
  }

  /// Returns the reason, or nothing when the call can run.
  template <class Policy>
  std::string refusal(Policy const& policy) const {
    return with_norm([&](auto const& norm) {
      if (m_case.operation == Operation::all_reduce) return std::string(can_run<AllReduce>(policy, m_in, norm).reason());
      return std::string(can_run<ReduceScatter>(policy, m_in, Sum{}, Counts(m_case.counts), norm).reason());
    });
  }

 private:
  using In = Array<T const, 2>;
  using Out = Array<T, 2>;
  using Weight = Array<T const, 1>;
  using Quantized = Array<float8_e4m3, 2>;
  using Scales = Array<float, 2>;

  /// Calls use with the epilogue of the case.
  template <class Use>
  auto with_norm(Use const& use) const {
    switch (m_case.norm) {
      case Norm::plain: {
        RmsNorm<None, Weight, None, Out> norm;
        norm.norm_out = m_norm_out;
        return use(with_weight(norm));
      }
      case Norm::fp8: {
        RmsNorm<In, Weight, Out, None, Quantized, float> norm;
        norm.quantized_out = m_quantized_out;
        norm.scale = Case::scale;
        return use(with_residual(norm));
      }
      case Norm::fp8_groups: {
        RmsNorm<In, Weight, Out, None, Quantized, None, Scales> norm;
        norm.quantized_out = m_quantized_out;
        norm.group_scales_out = m_scales_out;
        return use(with_residual(norm));
      }
      default: {
        RmsNorm<In, Weight, Out, Out> norm;
        norm.norm_out = m_norm_out;
        return use(with_residual(norm));
      }
    }
  }
  template <class N>
  N with_weight(N norm) const {
    norm.weight = m_weight;
    norm.weight_offset = Case::weight_offset;
    norm.epsilon = Case::epsilon;
    return norm;
  }
  template <class N>
  N with_residual(N norm) const {
    norm.residual = m_residual;
    norm.residual_out = m_residual_out;
    return with_weight(norm);
  }

  Case m_case;
  In m_in, m_residual;
  Weight m_weight;
  Out m_residual_out, m_norm_out;
  Quantized m_quantized_out;
  Scales m_scales_out;
};

/// Makes such a call, or says why Koinon cannot do it (empty: it can): compiled in a file of its own for each type.
template <class T, class Comm>
Call norm_call_of(Case const& what, Comm const& comm, Arrays const& arrays);
template <class T, class Comm>
std::string norm_refusal_of(Case const& what, Comm const& comm, Arrays const& arrays);

}  // namespace Koinon::Perf
