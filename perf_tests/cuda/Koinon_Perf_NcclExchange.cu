// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Cuda.hpp>
#include <Koinon_Perf_NcclExchange.hpp>

#include <memory>
#include <stdexcept>
#include <string>

namespace Koinon::Perf {

namespace {

/// Puts rows of `width` words of one rank after another side by side; a block a row and rank.
template <class Word>
__global__ void put_side_by_side(Word* to, Word const* from, std::size_t width) {
  auto const row = blockIdx.x, rank = blockIdx.y;
  auto const rows = gridDim.x, ranks = gridDim.y;
  from += (static_cast<std::size_t>(rank) * rows + row) * width;
  to += (static_cast<std::size_t>(row) * ranks + rank) * width;
  for (std::size_t i = threadIdx.x; i < width; i += blockDim.x) to[i] = from[i];
}

void launch_side_by_side(void* to, void const* from, Case const& what, cudaStream_t stream) {
  auto const bytes = what.counts.front() * bytes_of(what.type);
  dim3 const blocks(static_cast<unsigned>(what.rows), static_cast<unsigned>(what.counts.size()));
  constexpr unsigned threads = 512;
  if (bytes % sizeof(uint4) == 0)
    put_side_by_side<<<blocks, threads, 0, stream>>>(static_cast<uint4*>(to), static_cast<uint4 const*>(from), bytes / 16);
  else
    put_side_by_side<<<blocks, threads, 0, stream>>>(static_cast<char*>(to), static_cast<char const*>(from), bytes);
  require_cuda(cudaGetLastError(), "launching what puts columns side by side");
}

std::shared_ptr<char> device_bytes(std::size_t bytes) {
  void* made = nullptr;
  require_cuda(cudaMalloc(&made, bytes), "memory for pieces");
  return {static_cast<char*>(made), [](char* memory) { (void)cudaFree(memory); }};
}

}  // namespace

void require_nccl(ncclResult_t result, char const* step) {
  if (result != ncclSuccess)
    throw std::runtime_error("NCCL: " + std::string(step) + ": " + ncclGetErrorString(result));
}

Call nccl_shards_to_rows(Case const& what, Arrays const& arrays, int rank, ncclComm_t comm, cudaStream_t stream) {
  auto const ranks = static_cast<int>(what.counts.size());
  auto const bytes = what.rows * what.counts[static_cast<std::size_t>(rank)] * bytes_of(what.type);
  if (bytes == 0) return [] {};
  return [=, pieces = device_bytes(bytes * what.counts.size())] {
    require_nccl(ncclGroupStart(), "beginning a group");
    for (int p = 0; p < ranks; ++p) {
      auto const at = static_cast<std::size_t>(p) * bytes;
      require_nccl(ncclSend(static_cast<char const*>(arrays.in) + at, bytes, ncclInt8, p, comm, stream), "send");
      require_nccl(ncclRecv(pieces.get() + at, bytes, ncclInt8, p, comm, stream), "receive");
    }
    require_nccl(ncclGroupEnd(), "ending a group");
    launch_side_by_side(arrays.out, pieces.get(), what, stream);
  };
}

Call nccl_uneven_members(Case const& what, Arrays const& arrays, int rank, ncclComm_t comm, cudaStream_t stream) {
  return [=] {
    auto const element = bytes_of(what.type);
    auto const ranks = static_cast<int>(what.counts.size());
    auto const* in = static_cast<char const*>(arrays.in);
    require_nccl(ncclGroupStart(), "beginning a group");
    for (std::size_t m = 0; m < Case::gathered_members; ++m) {
      auto const columns = what.member_columns()[m];
      auto* out = static_cast<char*>(arrays.out) + what.gathered_offsets()[m] * element;
      for (int from = 0; from < ranks; ++from) {
        auto const bytes = what.counts[static_cast<std::size_t>(from)] * columns * element;
        if (bytes > 0) require_nccl(ncclBroadcast(in, out, bytes, ncclInt8, from, comm, stream), "broadcast");
        out += bytes;
      }
      in += what.counts[static_cast<std::size_t>(rank)] * columns * element;
    }
    require_nccl(ncclGroupEnd(), "ending a group");
  };
}

}  // namespace Koinon::Perf
