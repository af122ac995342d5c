// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CoreWithoutMpi.hpp>
#include <Koinon_Perf_BorrowedCalls.hpp>
#include <Koinon_Perf_Case.hpp>
#include <Koinon_Perf_Exercise.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace Koinon::Perf {

/// Koinon's operations on several arrays: the members lie one behind the other in the arrays of the case, as its
/// member_columns, member_elements and gathered_offsets say.
template <class T>
class MultipleCalls {
 public:
  MultipleCalls(Case const& what, int rank, Arrays const& arrays)
      : m_case(what),
        m_rank(rank),
        m_in(static_cast<T const*>(arrays.in)),
        m_out(static_cast<T*>(arrays.out)),
        m_workspace(arrays.workspace) {}

  template <class Policy>
  Call call(Policy const& policy) const {
    if (m_workspace != nullptr) return borrowed_call(policy);
    return with_arguments([&](auto operation, auto const& first, auto const&... members) -> Call {
      auto const label = m_case.label;
      if constexpr (std::is_same_v<decltype(operation), AllReduceMultiple>)
        return [=] { all_reduce_multiple(label, policy, first, members...); };
      else
        return [=] { all_gather_multiple(label, policy, first, members...); };
    });
  }

  /// Returns the reason, or nothing when the call can run.
  template <class Policy>
  std::string refusal(Policy const& policy) const {
    if (m_case.operation == Operation::all_reduce_multiple && !(sums_members && m_case.reducer == ReducerName::sum))
      return "all_reduce_multiple is measured for sums of float, double and bfloat16 elements";
    return with_arguments([&](auto operation, auto const&... arguments) {
      return std::string(can_run<decltype(operation)>(policy, arguments...).reason());
    });
  }

 private:
  /// Says whether the library has the kernels; others would take long to compile.
  static constexpr bool sums_members =
      std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, bfloat16>;

  template <class Policy>
  Call borrowed_call(Policy const& policy) const {
    auto const columns = m_case.member_columns();
    auto const own = m_case.counts[static_cast<std::size_t>(m_rank)];
    std::array<T const*, Case::gathered_members> in{m_in};
    for (std::size_t m = 1; m < in.size(); ++m) in[m] = in[m - 1] + own * columns[m - 1];
    std::array<T*, Case::gathered_members> out{};
    for (std::size_t m = 0; m < out.size(); ++m) out[m] = m_out + m_case.gathered_offsets()[m];
    return [&]<std::size_t... M>(std::index_sequence<M...>) {
      return with_rows_of(m_case, [&](auto const& rows) -> Call {
        return [=, workspace = *m_workspace, label = m_case.label,
                members = std::tuple(Array<T const, 2>(in[M], own, columns[M])...)] {
          auto const lent =
              all_gather_multiple_borrowed(label, policy, workspace, rows, std::get<M>(members)...);
          (require_at(std::get<M>(lent), out[M]), ...);
        };
      });
    }
    (std::make_index_sequence<Case::gathered_members>{});
  }

  /// Calls use with the operation and what it is given behind its policy.
  template <class Use>
  auto with_arguments(Use const& use) const {
    if constexpr (sums_members) {
      if (m_case.operation == Operation::all_reduce_multiple) {
        auto const members = m_case.member_elements();
        std::array<std::size_t, Case::reduced_members> before{};
        for (std::size_t m = 1; m < before.size(); ++m) before[m] = before[m - 1] + members[m - 1];
        return [&]<std::size_t... M>(std::index_sequence<M...>) {
          return use(
              AllReduceMultiple{}, Sum{},
              member(Array<T const, 1>(m_in + before[M], members[M]), Array<T, 1>(m_out + before[M], members[M]))...);
        }
        (std::make_index_sequence<Case::reduced_members>{});
      }
    }
    auto const columns = m_case.member_columns();
    auto const own = m_case.counts[static_cast<std::size_t>(m_rank)];
    std::array<std::size_t, Case::gathered_members> before{};
    for (std::size_t m = 1; m < before.size(); ++m) before[m] = before[m - 1] + columns[m - 1];
    return [&]<std::size_t... M>(std::index_sequence<M...>) {
      return use(AllGatherMultiple{}, Counts(m_case.counts),
                 member(Array<T const, 2>(m_in + own * before[M], own, columns[M]),
                        Array<T, 2>(m_out + m_case.gathered_offsets()[M], m_case.rows, columns[M]))...);
    }
    (std::make_index_sequence<Case::gathered_members>{});
  }

  Case m_case;
  int m_rank;
  T const* m_in;
  T* m_out;
  Workspace const* m_workspace;
};

}  // namespace Koinon::Perf
