// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Cuda.hpp>
#include <Koinon_Perf_GpuKernels.hpp>
#include <Koinon_Perf_GpuPlace.hpp>
#include <Koinon_Perf_KoinonCalls.hpp>
#include <Koinon_Perf_Memory.hpp>
#include <Koinon_Perf_Oracle.hpp>

#include <cstring>
#include <exception>
#include <optional>

namespace Koinon::Perf {

/// One array in memory of the GPU, private or symmetric. Making and destroying a symmetric one is collective.
template <class T>
class GpuMemory {
 public:
  /// @param elements for symmetric memory the same on every rank
  GpuMemory(Placement placement, GpuCommunicator const& comm, GpuRank& gpu, std::size_t elements)
      : m_comm(comm), m_gpu(gpu) {
    if (elements == 0) return;
    if (placement == Placement::symmetric)
      m_symmetric = symmetric_array<T, 1>(comm, elements);
    else
      m_private = static_cast<T*>(gpu.take(elements * sizeof(T)));
  }
  ~GpuMemory() {
    if (m_private != nullptr) m_gpu.give_back();
    if (m_symmetric.data() == nullptr || std::uncaught_exceptions() > 0) return;  // the communicator frees it then
    try {
      free_symmetric(m_comm, m_symmetric);
    } catch (std::exception const&) {
      // A rank failed meanwhile: the next call on the communicator says so.
    }
  }
  GpuMemory(GpuMemory const&) = delete;
  GpuMemory& operator=(GpuMemory const&) = delete;

  T* data() const { return m_private != nullptr ? m_private : m_symmetric.data(); }

 private:
  GpuCommunicator const& m_comm;
  GpuRank& m_gpu;
  T* m_private = nullptr;
  Array<T, 1> m_symmetric{};
};

/// An exercise with elements of type T on a GPU. All but count_wrong only enqueues.
template <class T>
class GpuExercise final : public Exercise {
 public:
  GpuExercise(Case const& what, GpuCommunicator const& comm, GpuRank& gpu)
      : m_case(what),
        m_comm(comm),
        m_gpu(gpu),
        m_rank(comm.rank()),
        m_pattern(what.reducer),
        m_tile(Placement::private_memory, comm, gpu, Pattern<T>::period),
        m_first(what.placement, comm, gpu,
                what.is_one_array() ? what.in_place_elements() : what.largest_input(comm.size())),
        m_second(what.placement, comm, gpu,
                 what.is_one_array() || what.borrowed ? 0 : what.largest_output(comm.size())),
        m_workspace(workspace_of(what, comm)),
        m_in(m_first.data() + (what.is_one_array() ? what.input_offset(m_rank) : 0)),
        m_out(what.is_one_array() ? m_first.data() + what.output_offset(m_rank)
              : m_workspace       ? reinterpret_cast<T*>(m_workspace->data())
                                  : m_second.data()) {
    std::memcpy(gpu.input_mirror(), m_pattern.tile().data(), Pattern<T>::period * sizeof(T));
    gpu.upload(m_tile.data(), gpu.input_mirror(), Pattern<T>::period * sizeof(T));
    write_norm_inputs(what, m_rank, [&](std::size_t at, std::size_t count, std::size_t start) { fill(at, count, start); });
  }

  Arrays arrays() const override { return {m_in, m_out, m_workspace ? &*m_workspace : nullptr}; }
  Call koinon_call() override { return koinon_call_of<T>(m_case, m_comm, arrays()); }
  std::string koinon_refusal() override { return koinon_refusal_of<T>(m_case, m_comm, arrays()); }

  void rewrite(std::size_t iteration) override {
    fill(0, m_case.input_elements(m_rank), Pattern<T>::start(m_rank, iteration));
  }

  void spoil() override {
    auto const count = m_case.output_elements(m_rank);
    // In one array all that is not input is the others' part of a gathered result.
    if (m_case.is_one_array() && m_case.operation == Operation::all_gather)
      set(m_first.data(), count);
    else if (!m_case.is_one_array() || m_case.input_elements(m_rank) == 0)
      set(m_out, count);
  }

  void meet() override {
    if (m_case.is_written_early()) barrier("meet", CollectivePolicy(m_comm));
  }

  std::uint64_t count_wrong(std::size_t iteration) const override {
    auto* const in = static_cast<T*>(m_gpu.input_mirror());
    auto* const out = static_cast<T*>(m_gpu.output_mirror());
    auto const one_array = m_case.is_one_array();
    if (!one_array) m_gpu.download(in, m_in, m_case.input_elements(m_rank) * sizeof(T));
    m_gpu.download(out, m_out, m_case.output_elements(m_rank) * sizeof(T));
    m_comm.check();
    return count_wrong_elements(m_case, m_pattern, m_rank, m_comm.size(), one_array ? nullptr : in, out, iteration);
  }

  /// Enqueues {rewrite; call} and returns nothing of use: the device is timed by its queue.
  double run(Call const& call, std::size_t first, std::size_t iterations) override {
    for (std::size_t i = first; i < first + iterations; ++i) {
      rewrite(i);
      call();
    }
    return 0;
  }
  double run_rewriting(std::size_t first, std::size_t iterations) override {
    for (std::size_t i = first; i < first + iterations; ++i) rewrite(i);
    return 0;
  }

 private:
  void fill(std::size_t at, std::size_t count, std::size_t start) {
    launch_fill(m_in + at, m_tile.data(), count, static_cast<unsigned>(start), static_cast<unsigned>(Pattern<T>::period),
                sizeof(T), m_gpu.stream());
  }
  void set(void* to, std::size_t count) {
    if (count == 0) return;
    require_cuda(cudaMemsetAsync(to, 0x5a, count * sizeof(T), m_gpu.stream()), "spoiling an output");
  }

  Case m_case;
  GpuCommunicator const& m_comm;
  GpuRank& m_gpu;
  int m_rank;
  Pattern<T> m_pattern;
  GpuMemory<T> m_tile, m_first, m_second;
  std::optional<Workspace> m_workspace;
  T* m_in;
  T* m_out;
};

}  // namespace Koinon::Perf
