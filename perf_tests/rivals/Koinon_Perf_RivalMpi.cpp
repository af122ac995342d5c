// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_MpiExchange.hpp>
#include <Koinon_Perf_MpiTypes.hpp>
#include <Koinon_Perf_NormLoop.hpp>
#include <Koinon_Perf_Rival.hpp>

#include <mpi.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace Koinon::Perf {

namespace {

/// The MPI that this program is linked with, called as its users call it: its own choice of algorithm, MPI_IN_PLACE
/// where the arrays are one, the forms for equal counts where they are equal.
class RivalMpi final : public Rival {
 public:
  RivalMpi(RankGroup const& ranks, bool on_host)
      : m_rank(ranks.rank()), m_size(ranks.size()), m_is_processes(ranks.is_processes()), m_on_host(on_host) {}

  std::string name() const override { return "mpi"; }

  std::string version() const override {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(text, &length);
    std::string version(text, static_cast<std::size_t>(length));
    version.resize(std::min(version.find_first_of(",\n"), version.size()));
    std::replace(version.begin(), version.end(), '\t', ' ');
    return version;
  }

  std::string refusal(Case const& what) const override {
    if (!m_on_host) return "the arrays are in memory of the device, which no MPI need know";
    if (!m_is_processes) return "the ranks are threads of one process";
    if (what.elements() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      return "more elements than its counts can hold";
    if (what.in_place && what.operation == Operation::reduce_scatter)
      return "its reduce_scatter in place puts every result at the front of the array, not in the rank's own rows";
    return {};
  }

  std::string note(Case const& what) const override {
    std::string const norm = what.norm == Norm::none ? "" : "MPI has no norm: a loop of ours follows its call";
    if (has_mpi_type(what.type) || !has_reducer(what.operation)) return norm;
    return (norm.empty() ? norm : norm + "; ") + "MPI has no " + std::string(name_of(what.type)) +
           ": it gets unsigned integers of that size and an operation of ours, which rounds each step";
  }

  Call call_of(Case const& what, Arrays const& arrays) override {
    if (what.norm != Norm::none) return norm_call(what, arrays);
    auto const call = plain_call(what, arrays);
    auto const count = what.output_elements(m_rank);
    if (!has_reducer(what.operation) || what.reducer != ReducerName::average || count == 0) return call;
    return [=, type = what.type, size = m_size] {
      call();
      divide(type, arrays.out, count, size);
    };
  }

 private:
  Call norm_call(Case const& what, Arrays const& arrays) const {
    auto reduction = what;
    reduction.norm = Norm::none;
    auto* const reduced = static_cast<std::byte*>(arrays.out) + what.reduced_in_output(m_rank) * bytes_of(what.type);
    return [=, reduce = plain_call(reduction, {arrays.in, reduced}), rank = m_rank] {
      reduce();
      normalize_rows(what, arrays, rank);
    };
  }

  Call plain_call(Case const& what, Arrays const& arrays) const {
    if (is_exchange(what.operation)) return mpi_exchange_call(what, arrays, m_rank, m_size);
    auto const type = mpi_type(what.type);
    auto const op = has_reducer(what.operation) ? mpi_op(what.type, what.reducer) : MPI_OP_NULL;
    auto const count = static_cast<int>(what.elements());
    auto* const out = arrays.out;
    void const* const in = what.in_place ? MPI_IN_PLACE : arrays.in;
    switch (what.operation) {
      case Operation::all_reduce:
        return [=] { MPI_Allreduce(in, out, count, type, op, MPI_COMM_WORLD); };
      case Operation::broadcast:
        return [=] { MPI_Bcast(out, count, type, Case::root, MPI_COMM_WORLD); };
      case Operation::barrier:
        return [] { MPI_Barrier(MPI_COMM_WORLD); };
      case Operation::reduce: {
        void const* const sent = m_rank == Case::root ? in : arrays.in;
        return [=] { MPI_Reduce(sent, out, count, type, op, Case::root, MPI_COMM_WORLD); };
      }
      case Operation::reduce_scatter:
        return reduce_scatter_call(what, arrays, type, op);
      case Operation::all_reduce_multiple:
        return one_by_one(reduced_members(what, arrays));
      case Operation::all_gather_multiple:
        return one_by_one(gathered_members(what, arrays));
      default:
        return all_gather_call(what, in, out, type);
    }
  }

  /// Its users make a call for each array.
  static Call one_by_one(std::vector<Call> calls) {
    return [calls = std::move(calls)] {
      for (auto const& call : calls) call();
    };
  }

  std::vector<Call> reduced_members(Case const& what, Arrays arrays) const {
    std::vector<Call> calls;
    auto member = what;
    member.operation = Operation::all_reduce;
    member.columns = 1;
    for (auto const elements : what.member_elements()) {
      member.rows = elements;
      calls.push_back(plain_call(member, arrays));
      arrays.in = static_cast<char*>(arrays.in) + elements * bytes_of(what.type);
      arrays.out = static_cast<char*>(arrays.out) + elements * bytes_of(what.type);
    }
    return calls;
  }

  std::vector<Call> gathered_members(Case const& what, Arrays arrays) const {
    std::vector<Call> calls;
    auto member = what;
    member.operation = Operation::all_gather;
    auto* const out = static_cast<char*>(arrays.out);
    for (std::size_t m = 0; m < Case::gathered_members; ++m) {
      member.columns = what.member_columns()[m];
      arrays.out = out + what.gathered_offsets()[m] * bytes_of(what.type);
      calls.push_back(plain_call(member, arrays));
      arrays.in = static_cast<char*>(arrays.in) + member.elements_of(m_rank) * bytes_of(what.type);
    }
    return calls;
  }

  Call reduce_scatter_call(Case const& what, Arrays const& arrays, MPI_Datatype type, MPI_Op op) const {
    auto const counts = element_counts(what);
    if (std::adjacent_find(counts.begin(), counts.end(), std::not_equal_to<>()) == counts.end())
      return [=, count = counts.front()] {
        MPI_Reduce_scatter_block(arrays.in, arrays.out, count, type, op, MPI_COMM_WORLD);
      };
    return [=] { MPI_Reduce_scatter(arrays.in, arrays.out, counts.data(), type, op, MPI_COMM_WORLD); };
  }

  Call all_gather_call(Case const& what, void const* in, void* out, MPI_Datatype type) const {
    auto const counts = element_counts(what);
    auto const own = counts[static_cast<std::size_t>(m_rank)];
    if (std::adjacent_find(counts.begin(), counts.end(), std::not_equal_to<>()) == counts.end())
      return [=] { MPI_Allgather(in, own, type, out, own, type, MPI_COMM_WORLD); };
    std::vector<int> offsets(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
    return [=] { MPI_Allgatherv(in, own, type, out, counts.data(), offsets.data(), type, MPI_COMM_WORLD); };
  }

  std::vector<int> element_counts(Case const& what) const {
    std::vector<int> counts;
    for (int rank = 0; rank < m_size; ++rank) counts.push_back(static_cast<int>(what.elements_of(rank)));
    return counts;
  }

  int m_rank;
  int m_size;
  bool m_is_processes;
  bool m_on_host;
};

}  // namespace

std::unique_ptr<Rival> make_mpi_rival(RankGroup& ranks, GpuRank* gpu) {
  return std::make_unique<RivalMpi>(ranks, gpu == nullptr);
}

}  // namespace Koinon::Perf
