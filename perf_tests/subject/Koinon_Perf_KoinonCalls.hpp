// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CoreWithoutMpi.hpp>
#include <Koinon_Perf_BorrowedCalls.hpp>
#include <Koinon_Perf_Case.hpp>
#include <Koinon_Perf_Element.hpp>
#include <Koinon_Perf_Exercise.hpp>
#include <Koinon_Perf_MultipleCalls.hpp>
#include <Koinon_Perf_NormCalls.hpp>
#include <Koinon_Perf_Policy.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace Koinon::Perf {

/// Names the reducer of the command line.
template <ReducerName Name>
struct ReducerOf;
template <>
struct ReducerOf<ReducerName::sum> {
  using type = Sum;
};
template <>
struct ReducerOf<ReducerName::prod> {
  using type = Prod;
};
template <>
struct ReducerOf<ReducerName::min> {
  using type = Min;
};
template <>
struct ReducerOf<ReducerName::max> {
  using type = Max;
};
template <>
struct ReducerOf<ReducerName::band> {
  using type = BAnd;
};
template <>
struct ReducerOf<ReducerName::bor> {
  using type = BOr;
};
template <>
struct ReducerOf<ReducerName::bxor> {
  using type = BXor;
};
template <>
struct ReducerOf<ReducerName::average> {
  using type = Average;
};

/// Calls use with the reducer of that name.
template <class T, class Use>
auto with_reducer(ReducerName name, Use&& use) -> decltype(use(Sum{})) {
#define KOINON_PERF_USE(built)                                            \
  if constexpr (std::is_integral_v<T> || !is_bitwise(ReducerName::built)) \
    if (name == ReducerName::built) return use(typename ReducerOf<ReducerName::built>::type{});
  KOINON_PERF_FOR_EACH_REDUCER(KOINON_PERF_USE)
#undef KOINON_PERF_USE
  throw std::invalid_argument("not a reducer of this build for this element type");
}

/// The one place that names Koinon's collectives: each case becomes one call, or the question whether it can run.
/// @tparam Rank 1 for rows of one element, 2 for longer ones
template <class T, int Rank, class Comm>
class KoinonCalls {
 public:
  KoinonCalls(Case const& what, Comm const& comm, Arrays const& arrays)
      : m_case(what),
        m_comm(comm),
        m_in(shaped<T const>(arrays.in, what.input_elements(comm.rank()), what.input_columns(comm.rank()))),
        m_out(shaped<T>(arrays.out, what.output_elements(comm.rank()), what.output_columns(comm.rank()))),
        m_workspace(arrays.workspace) {}

  Call call() const {
    auto const policy = policy_of(m_case, m_comm);
    auto const in = m_in;
    auto const out = m_out;
    auto const label = m_case.label;
    Counts const counts(m_case.counts);
    if (m_workspace != nullptr) {
      if constexpr (Rank == 2) {
        if (is_exchange(m_case.operation)) return borrowed_exchange_call(m_case, policy, *m_workspace, in, out.data());
      }
      if (m_case.operation == Operation::all_gather)
        return borrowed_all_gather_call(m_case, policy, *m_workspace, in, out.data());
      return reduced([&](auto reducer) {
        return borrowed_reduce_scatter_call(m_case, policy, *m_workspace, in, out.data(), reducer);
      });
    }
    if constexpr (Rank == 2) {
      if (is_exchange(m_case.operation)) return exchange_call();
    }
    switch (m_case.operation) {
      case Operation::all_reduce:
        return reduced([=](auto reducer) -> Call { return [=] { all_reduce(label, policy, in, out, reducer); }; });
      case Operation::reduce_scatter:
        return reduced([&](auto reducer) -> Call {
          if (!m_case.counts_given) return [=] { reduce_scatter(label, policy, in, out, reducer); };
          return [=] { reduce_scatter(label, policy, in, out, reducer, counts); };
        });
      case Operation::reduce:
        return reduced(
            [=](auto reducer) -> Call { return [=] { reduce(label, policy, in, out, Case::root, reducer); }; });
      case Operation::all_gather:
        if (!m_case.counts_given) return [=] { all_gather(label, policy, in, out); };
        return [=] { all_gather(label, policy, in, out, counts); };
      case Operation::broadcast:
        return [=] { broadcast(label, policy, out, Case::root); };
      case Operation::barrier:
        return [=] { barrier(label, policy); };
      default:
        throw std::invalid_argument("not an operation of this program");
    }
  }

  /// Returns the reason, or nothing when the call can run.
  std::string refusal() const {
    auto const policy = policy_of(m_case, m_comm);
    auto const reason = [](auto const& answer) { return answer ? std::string() : std::string(answer.reason()); };
    auto const& in = m_in;
    auto const& out = m_out;
    Counts const counts(m_case.counts);
    if constexpr (Rank == 2) {
      if (is_exchange(m_case.operation)) return exchange_refusal();
    }
    auto const ask = [&](auto reducer) {
      switch (m_case.operation) {
        case Operation::all_reduce:
          return reason(can_run<AllReduce>(policy, in, out, reducer));
        case Operation::reduce_scatter:
          return reason(can_run<ReduceScatter>(policy, in, out, reducer, counts));
        default:
          return reason(can_run<Reduce>(policy, in, out, Case::root, reducer));
      }
    };
    switch (m_case.operation) {
      case Operation::all_gather:
        return reason(can_run<AllGather>(policy, in, out, counts));
      case Operation::broadcast:
        return reason(can_run<Broadcast>(policy, out, Case::root));
      case Operation::barrier:
        return reason(can_run<Barrier>(policy));
      default:
        return with_reducer<T>(m_case.reducer, ask);
    }
  }

 private:
  template <class Element>
  static Array<Element, Rank> shaped(void* data, std::size_t elements, std::size_t columns) {
    if constexpr (Rank == 1)
      return Array<Element, 1>(static_cast<Element*>(data), elements);
    else
      return Array<Element, 2>(static_cast<Element*>(data), elements / columns, columns);
  }

  /// Returns what this rank gets of all in an all_to_all: each sends it as much.
  Counts received() const {
    return Counts(std::vector<std::size_t>(m_case.counts.size(), m_case.counts[static_cast<std::size_t>(m_comm.rank())]));
  }

  Call exchange_call() const {
    auto const policy = policy_of(m_case, m_comm);
    auto const in = m_in;
    auto const out = m_out;
    auto const label = m_case.label;
    switch (m_case.operation) {
      case Operation::shards_to_rows:
        return [=] { shards_to_rows(label, policy, in, out); };
      case Operation::rows_to_shards:
        return [=] { rows_to_shards(label, policy, in, out); };
      case Operation::all_gather_columns:
        if (!m_case.counts_given) return [=] { all_gather_columns(label, policy, in, out); };
        return [=, widths = Widths(m_case.counts)] { all_gather_columns(label, policy, in, out, widths); };
      default:
        if (!m_case.counts_given) return [=] { all_to_all(label, policy, in, out); };
        return [=, send = Counts(m_case.counts), receive = received()] {
          all_to_all(label, policy, in, out, send, receive);
        };
    }
  }

  std::string exchange_refusal() const {
    auto const policy = policy_of(m_case, m_comm);
    auto const reason = [](auto const& answer) { return answer ? std::string() : std::string(answer.reason()); };
    switch (m_case.operation) {
      case Operation::shards_to_rows:
        return reason(can_run<ShardsToRows>(policy, m_in, m_out));
      case Operation::rows_to_shards:
        return reason(can_run<RowsToShards>(policy, m_in, m_out));
      case Operation::all_gather_columns:
        return reason(can_run<AllGatherColumns>(policy, m_in, m_out, Widths(m_case.counts)));
      default:
        if (!m_case.counts_given) return reason(can_run<AllToAll>(policy, m_in, m_out));
        return reason(can_run<AllToAll>(policy, m_in, m_out, Counts(m_case.counts), received()));
    }
  }

  template <class Use>
  Call reduced(Use const& use) const {
    return with_reducer<T>(m_case.reducer, use);
  }

  Case m_case;
  Comm const& m_comm;
  Array<T const, Rank> m_in;
  Array<T, Rank> m_out;
  Workspace const* m_workspace;
};

/// Makes the call of a case, or says why Koinon cannot do it (empty: it can). Collective.
template <class T, class Comm>
Call koinon_call_of(Case const& what, Comm const& comm, Arrays const& arrays) {
  if constexpr (has_norms<T>)
    if (what.norm != Norm::none) return norm_call_of<T>(what, comm, arrays);
  if (is_multiple(what.operation)) return MultipleCalls<T>(what, comm.rank(), arrays).call(policy_of(what, comm));
  return what.columns == 1 && !is_exchange(what.operation)
             ? KoinonCalls<T, 1, Comm>(what, comm, arrays).call()
                           : KoinonCalls<T, 2, Comm>(what, comm, arrays).call();
}
template <class T, class Comm>
std::string koinon_refusal_of(Case const& what, Comm const& comm, Arrays const& arrays) {
  if constexpr (has_norms<T>)
    if (what.norm != Norm::none) return norm_refusal_of<T>(what, comm, arrays);
  if (is_multiple(what.operation)) return MultipleCalls<T>(what, comm.rank(), arrays).refusal(policy_of(what, comm));
  return what.columns == 1 && !is_exchange(what.operation)
             ? KoinonCalls<T, 1, Comm>(what, comm, arrays).refusal()
                           : KoinonCalls<T, 2, Comm>(what, comm, arrays).refusal();
}

}  // namespace Koinon::Perf
