// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Errors.hpp>
#include <Koinon_Perf_GpuRank.hpp>
#include <Koinon_Perf_Gpus.hpp>
#include <Koinon_Perf_NcclExchange.hpp>
#include <Koinon_Perf_NormKernel.hpp>
#include <Koinon_Perf_Rival.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <nccl.h>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <unistd.h>
#include <vector>

namespace Koinon::Perf {

namespace {

/// Names a GPU among all hosts.
using GpuName = std::array<char, 128>;

GpuName name_of_gpu(int device) {
  char host[64] = {};
  gethostname(host, sizeof host - 1);
  GpuName name{};
  auto const text = fmt::format("{} of {}", gpu_address(device), host);
  std::memcpy(name.data(), text.data(), std::min(text.size(), name.size() - 1));
  return name;
}

/// NCCL as its users call it: its own choice of algorithm, on the rank's stream. NVLink multicast is off unless the
/// environment says otherwise (NCCL_NVLS_ENABLE).
class RivalNccl final : public Rival {
 public:
  RivalNccl(RankGroup& ranks, GpuRank& gpu) : m_rank(ranks.rank()), m_size(ranks.size()), m_stream(gpu.stream()) {
    auto const own = name_of_gpu(gpu.device());
    std::vector<GpuName> all(static_cast<std::size_t>(m_size));
    ranks.all_gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
    if (std::set<GpuName>(all.begin(), all.end()).size() < all.size()) {
      m_refusal = fmt::format("NCCL needs a GPU for each rank, and of these {} ranks several share one", m_size);
      return;
    }
    ncclUniqueId id{};
    if (m_rank == 0) require_nccl(ncclGetUniqueId(&id), "making an id");
    std::vector<ncclUniqueId> ids(static_cast<std::size_t>(m_size));
    ranks.all_gather(std::as_bytes(std::span(&id, 1)), std::as_writable_bytes(std::span(ids)));
    require_nccl(ncclCommInitRank(&m_comm, m_size, ids.front(), m_rank), "making a communicator");
  }
  ~RivalNccl() override {
    if (m_comm != nullptr) (void)ncclCommDestroy(m_comm);
  }
  RivalNccl(RivalNccl const&) = delete;
  RivalNccl& operator=(RivalNccl const&) = delete;

  std::string name() const override { return "nccl"; }

  std::string version() const override {
    int version = 0;
    require_nccl(ncclGetVersion(&version), "asking for its version");
    return fmt::format("NCCL {}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
  }

  std::string refusal(Case const& what) const override {
    if (!m_refusal.empty()) return m_refusal;
    if (what.operation == Operation::barrier) return "NCCL has no barrier";
    if (what.operation == Operation::shards_to_rows) return {};
    if (is_exchange(what.operation)) return "NCCL is not measured with this exchange";
    if (!type_of(what.type)) return fmt::format("{} is not measured with NCCL", name_of(what.type));
    if (has_reducer(what.operation) && !operation_of(what.reducer)) return "NCCL has no such reducer";
    if (what.operation == Operation::all_gather_multiple) return {};
    if (has_counts(what.operation) && is_uneven(what)) return "NCCL gives every rank the same rows";
    return {};
  }

  std::string note(Case const& what) const override {
    return what.norm == Norm::none ? "" : "NCCL has no norm: a kernel of ours follows its call";
  }

  Call call_of(Case const& what, Arrays const& arrays) override {
    if (what.norm != Norm::none) return norm_call(what, arrays);
    if (what.operation == Operation::shards_to_rows)
      return nccl_shards_to_rows(what, arrays, m_rank, m_comm, m_stream);
    if (what.operation == Operation::all_gather_multiple && is_uneven(what))
      return nccl_uneven_members(what, arrays, m_rank, m_comm, m_stream);
    auto const type = *type_of(what.type);
    auto const op = has_reducer(what.operation) ? *operation_of(what.reducer) : ncclSum;
    auto const count = what.elements();
    auto const own = what.elements_of(m_rank);
    auto* const in = arrays.in;
    auto* const out = arrays.out;
    auto const comm = m_comm;
    auto const stream = m_stream;
    switch (what.operation) {
      case Operation::all_reduce:
        return [=] { require_nccl(ncclAllReduce(in, out, count, type, op, comm, stream), "all_reduce"); };
      case Operation::reduce_scatter:
        return [=] { require_nccl(ncclReduceScatter(in, out, own, type, op, comm, stream), "reduce_scatter"); };
      case Operation::all_gather:
        return [=] { require_nccl(ncclAllGather(in, out, own, type, comm, stream), "all_gather"); };
      case Operation::all_reduce_multiple:
        return [=, members = what.member_elements(), bytes = bytes_of(what.type)] {
          require_nccl(ncclGroupStart(), "beginning a group");
          std::size_t at = 0;
          for (auto const elements : members) {
            require_nccl(ncclAllReduce(static_cast<char*>(in) + at, static_cast<char*>(out) + at, elements, type, op, comm, stream),
                         "all_reduce");
            at += elements * bytes;
          }
          require_nccl(ncclGroupEnd(), "ending a group");
        };
      case Operation::all_gather_multiple:
        return [=, members = what.member_columns(), offsets = what.gathered_offsets(), rows = what.counts.front(),
                bytes = bytes_of(what.type)] {
          require_nccl(ncclGroupStart(), "beginning a group");
          std::size_t before = 0;
          for (std::size_t m = 0; m < members.size(); ++m) {
            require_nccl(ncclAllGather(static_cast<char*>(in) + rows * before * bytes,
                                       static_cast<char*>(out) + offsets[m] * bytes, rows * members[m], type, comm, stream),
                         "all_gather");
            before += members[m];
          }
          require_nccl(ncclGroupEnd(), "ending a group");
        };
      case Operation::broadcast:
        return [=] { require_nccl(ncclBroadcast(out, out, count, type, Case::root, comm, stream), "broadcast"); };
      default:
        return [=] { require_nccl(ncclReduce(in, out, count, type, op, Case::root, comm, stream), "reduce"); };
    }
  }

 private:
  static bool is_uneven(Case const& what) {
    return std::adjacent_find(what.counts.begin(), what.counts.end(), std::not_equal_to<>()) != what.counts.end();
  }

  Call norm_call(Case const& what, Arrays const& arrays) {
    auto reduction = what;
    reduction.norm = Norm::none;
    auto* const reduced = static_cast<char*>(arrays.out) + what.reduced_in_output(m_rank) * bytes_of(what.type);
    return [=, reduce = call_of(reduction, {arrays.in, reduced}), rank = m_rank, stream = m_stream] {
      reduce();
      launch_norm(what, arrays, rank, stream);
    };
  }

  static std::optional<ncclDataType_t> type_of(ElementType type) {
    switch (type) {
      case ElementType::f32:
        return ncclFloat32;
      case ElementType::f64:
        return ncclFloat64;
      case ElementType::i32:
        return ncclInt32;
      case ElementType::u32:
        return ncclUint32;
      case ElementType::i64:
        return ncclInt64;
      case ElementType::u64:
        return ncclUint64;
      case ElementType::f16:
        return ncclFloat16;
      case ElementType::bf16:
        return ncclBfloat16;
      default:
        return std::nullopt;
    }
  }

  static std::optional<ncclRedOp_t> operation_of(ReducerName reducer) {
    switch (reducer) {
      case ReducerName::sum:
        return ncclSum;
      case ReducerName::prod:
        return ncclProd;
      case ReducerName::min:
        return ncclMin;
      case ReducerName::max:
        return ncclMax;
      case ReducerName::average:
        return ncclAvg;
      default:
        return std::nullopt;
    }
  }

  int m_rank;
  int m_size;
  cudaStream_t m_stream;
  ncclComm_t m_comm = nullptr;
  std::string m_refusal;
};

}  // namespace

std::unique_ptr<Rival> make_nccl_rival(RankGroup& ranks, GpuRank* gpu) {
  if (gpu == nullptr) throw UsageError("--rivals nccl: needs --device cuda");
  return std::make_unique<RivalNccl>(ranks, *gpu);
}

}  // namespace Koinon::Perf
