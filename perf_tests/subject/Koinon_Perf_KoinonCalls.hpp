// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Case.hpp>
#include <Koinon_Perf_Exercise.hpp>
#include <Koinon_Perf_Instance.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace Koinon::Perf {

/// Returns the policy of a case: what the command line names is required, all else is Koinon's choice.
inline auto policy_of(Case const& what, PerfCommunicator const& comm) {
  Tuning tuning;
  tuning.algorithm = what.algorithm;
  tuning.transport = what.transport;
  if (what.skip_entry_barrier) tuning.entry_barrier = Entry::skip;
  return require(CollectivePolicy(comm), tuning);
}

/// Calls use with the reducer that a name stands for, if the element type has it.
template <class T, class Use>
auto with_reducer(ReducerName name, Use&& use) {
  if constexpr (std::is_integral_v<T>) {
    if (name == ReducerName::band) return use(BAnd{});
    if (name == ReducerName::bor) return use(BOr{});
    if (name == ReducerName::bxor) return use(BXor{});
  }
  switch (name) {
    case ReducerName::sum: return use(Sum{});
    case ReducerName::prod: return use(Prod{});
    case ReducerName::min: return use(Min{});
    case ReducerName::max: return use(Max{});
    case ReducerName::average: return use(Average{});
    default: throw std::invalid_argument("a bitwise reducer needs an integer type");
  }
}

/// The one place that names Koinon's collectives: each case becomes one call, or the question whether it can run.
/// @tparam Rank 1 for rows of one element, 2 for longer ones
template <class T, int Rank>
class KoinonCalls {
 public:
  KoinonCalls(Case const& what, PerfCommunicator const& comm, Arrays const& arrays)
      : m_case(what),
        m_comm(comm),
        m_in(shaped<T const>(arrays.in, what.input_elements(comm.rank()))),
        m_out(shaped<T>(arrays.out, what.output_elements(comm.rank()))) {}

  Call call() const {
    auto const policy = policy_of(m_case, m_comm);
    auto const in = m_in;
    auto const out = m_out;
    auto const label = m_case.label;
    Counts const counts(m_case.counts);
    switch (m_case.operation) {
      case Operation::all_reduce:
        return reduced([=](auto reducer) -> Call { return [=] { all_reduce(label, policy, in, out, reducer); }; });
      case Operation::reduce_scatter:
        return reduced([&](auto reducer) -> Call {
          if (!m_case.counts_given) return [=] { reduce_scatter(label, policy, in, out, reducer); };
          return [=] { reduce_scatter(label, policy, in, out, reducer, counts); };
        });
      case Operation::reduce:
        return reduced([=](auto reducer) -> Call {
          return [=] { reduce(label, policy, in, out, Case::root, reducer); };
        });
      case Operation::all_gather:
        if (!m_case.counts_given) return [=] { all_gather(label, policy, in, out); };
        return [=] { all_gather(label, policy, in, out, counts); };
      case Operation::broadcast: return [=] { broadcast(label, policy, out, Case::root); };
      case Operation::barrier: return [=] { barrier(label, policy); };
      default: throw std::invalid_argument("not an operation of this program");
    }
  }

  /// Returns the reason, or nothing when the call can run.
  std::string refusal() const {
    auto const policy = policy_of(m_case, m_comm);
    auto const reason = [](auto const& answer) { return answer ? std::string() : std::string(answer.reason()); };
    auto const& in = m_in;
    auto const& out = m_out;
    Counts const counts(m_case.counts);
    auto const ask = [&](auto reducer) {
      switch (m_case.operation) {
        case Operation::all_reduce: return reason(can_run<AllReduce>(policy, in, out, reducer));
        case Operation::reduce_scatter: return reason(can_run<ReduceScatter>(policy, in, out, reducer, counts));
        default: return reason(can_run<Reduce>(policy, in, out, Case::root, reducer));
      }
    };
    switch (m_case.operation) {
      case Operation::all_gather: return reason(can_run<AllGather>(policy, in, out, counts));
      case Operation::broadcast: return reason(can_run<Broadcast>(policy, out, Case::root));
      case Operation::barrier: return reason(can_run<Barrier>(policy));
      default: return with_reducer<T>(m_case.reducer, ask);
    }
  }

 private:
  template <class Element>
  Array<Element, Rank> shaped(void* data, std::size_t elements) const {
    if constexpr (Rank == 1) return Array<Element, 1>(static_cast<Element*>(data), elements);
    else return Array<Element, 2>(static_cast<Element*>(data), elements / m_case.columns, m_case.columns);
  }

  template <class Use>
  Call reduced(Use const& use) const {
    return with_reducer<T>(m_case.reducer, use);
  }

  Case m_case;
  PerfCommunicator const& m_comm;
  Array<T const, Rank> m_in;
  Array<T, Rank> m_out;
};

}  // namespace Koinon::Perf
