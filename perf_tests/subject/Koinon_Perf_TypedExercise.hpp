// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Exercise.hpp>
#include <Koinon_Perf_KoinonCalls.hpp>
#include <Koinon_Perf_Memory.hpp>
#include <Koinon_Perf_Oracle.hpp>
#include <Koinon_Perf_Pattern.hpp>

#include <chrono>
#include <cstring>
#include <optional>

namespace Koinon::Perf {

/// An exercise with elements of type T.
template <class T>
class TypedExercise final : public Exercise {
 public:
  TypedExercise(Case const& what, PerfCommunicator const& comm)
      : m_case(what),
        m_comm(comm),
        m_rank(comm.rank()),
        m_one_array(what.is_one_array()),
        m_pattern(what.reducer),
        m_first(what.placement, comm,
                m_one_array ? what.in_place_elements() : elements(&Case::largest_input, &Case::input_room)),
        m_second(what.placement, comm,
                 m_one_array || what.borrowed ? 0 : elements(&Case::largest_output, &Case::output_elements)),
        m_workspace(workspace_of(what, comm)),
        m_in(m_first.data() + (m_one_array ? what.input_offset(m_rank) : 0)),
        m_out(m_one_array   ? m_first.data() + what.output_offset(m_rank)
              : m_workspace ? reinterpret_cast<T*>(m_workspace->data())
                            : m_second.data()) {
    write_norm_inputs(what, m_rank, [&](std::size_t at, std::size_t count, std::size_t start) {
      m_pattern.write(m_in + at, count, start);
    });
  }

  Arrays arrays() const override { return {m_in, m_out, m_workspace ? &*m_workspace : nullptr}; }

  Call koinon_call() override { return koinon_call_of<T>(m_case, m_comm, arrays()); }
  std::string koinon_refusal() override { return koinon_refusal_of<T>(m_case, m_comm, arrays()); }

  void rewrite(std::size_t iteration) override {
    m_pattern.write(m_in, m_case.input_elements(m_rank), Pattern<T>::start(m_rank, iteration));
  }

  void spoil() override {
    auto const count = m_case.output_elements(m_rank);
    auto const keeps_input = m_one_array && m_case.input_elements(m_rank) > 0;
    if (!keeps_input && count > 0) std::memset(static_cast<void*>(m_out), 0x5a, count * sizeof(T));
    // In one array the others' part of a gathered result is all that the input does not fill.
    if (m_one_array && m_case.operation == Operation::all_gather && count > 0)
      std::memset(static_cast<void*>(m_first.data()), 0x5a, count * sizeof(T));
  }

  void meet() override {
    if (m_case.is_written_early()) barrier("meet", CollectivePolicy(m_comm));
  }

  std::uint64_t count_wrong(std::size_t iteration) const override {
    return count_wrong_elements(m_case, m_pattern, m_rank, m_comm.size(), m_one_array ? nullptr : m_in, m_out,
                                iteration);
  }

  double run(Call const& call, std::size_t first, std::size_t iterations) override {
    auto const begin = std::chrono::steady_clock::now();
    for (std::size_t i = first; i < first + iterations; ++i) {
      TypedExercise::rewrite(i);
      call();
    }
    return seconds_since(begin);
  }

  double run_rewriting(std::size_t first, std::size_t iterations) override {
    auto const begin = std::chrono::steady_clock::now();
    for (std::size_t i = first; i < first + iterations; ++i) {
      TypedExercise::rewrite(i);
      keep(m_in);
    }
    return seconds_since(begin);
  }

 private:
  std::size_t elements(std::size_t (Case::*largest)(int) const, std::size_t (Case::*own)(int) const) const {
    return m_case.placement == Placement::symmetric ? (m_case.*largest)(m_comm.size()) : (m_case.*own)(m_rank);
  }

  static double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  /// Makes the compiler believe that the array is read here.
  static void keep(T const* array) { asm volatile("" : : "r"(array) : "memory"); }

  Case m_case;
  PerfCommunicator const& m_comm;
  int m_rank;
  bool m_one_array;
  Pattern<T> m_pattern;
  Memory<T> m_first, m_second;
  std::optional<Workspace> m_workspace;
  T* m_in;
  T* m_out;
};

}  // namespace Koinon::Perf
