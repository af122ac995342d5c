// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaTunings.hpp>

#include <array>

namespace Koinon::Impl {

namespace {

// Of two ranks measured on two H200s, of more with ranks as threads on one, where no link is crossed (docs/performance).

/// Pulls: as many large blocks as there is room for, or so many.
constexpr TuningEntry pulls(Operation operation, std::int32_t ranks, std::int64_t up_to, Algorithm algorithm,
                            std::int32_t most_blocks = 0) {
  TuningEntry entry = peer_load_entry(ShortName("cuda"), operation, ranks, up_to, algorithm);
  entry.tuning.max_blocks = most_blocks;
  return entry;
}
/// Low latency: about one packet a thread, in small blocks; in large ones where all multiprocessors are busy.
constexpr TuningEntry packets(Operation operation, std::int32_t ranks, std::int64_t up_to, std::int32_t threads = 256) {
  TuningEntry entry = pulls(operation, ranks, up_to, Algorithm::low_latency);
  entry.tuning.block_threads = threads;
  entry.tuning.vector_bytes = 8;
  return entry;
}

constexpr std::int64_t kib = 1024;
constexpr std::int64_t mib = 1024 * kib;

constexpr std::array entries{
    packets(Operation::all_reduce, 2, 128 * kib),
    packets(Operation::all_reduce, 2, 16 * mib, 512),
    pulls(Operation::all_reduce, 2, any_bytes, Algorithm::two_shot),
    packets(Operation::all_reduce, 4, 256 * kib),
    packets(Operation::all_reduce, 4, 1 * mib, 512),
    pulls(Operation::all_reduce, 4, any_bytes, Algorithm::two_shot),
    packets(Operation::all_reduce, 0, 128 * kib),
    pulls(Operation::all_reduce, 0, 256 * kib, Algorithm::one_shot),
    pulls(Operation::all_reduce, 0, any_bytes, Algorithm::two_shot),
    packets(Operation::reduce_scatter, 2, 128 * kib),
    packets(Operation::reduce_scatter, 2, 12 * mib, 512),
    pulls(Operation::reduce_scatter, 2, any_bytes, Algorithm::one_shot),
    packets(Operation::reduce_scatter, 0, 256 * kib),
    pulls(Operation::reduce_scatter, 0, any_bytes, Algorithm::one_shot),
    packets(Operation::all_gather, 2, 256 * kib),
    packets(Operation::all_gather, 2, 1 * mib, 512),
    pulls(Operation::all_gather, 2, any_bytes, Algorithm::one_shot, 64),
    packets(Operation::all_gather, 0, 256 * kib),
    pulls(Operation::all_gather, 0, any_bytes, Algorithm::one_shot),
    packets(Operation::all_gather_columns, 0, 256 * kib),
    pulls(Operation::all_gather_columns, 0, any_bytes, Algorithm::one_shot),
    packets(Operation::all_to_all, 0, 256 * kib),
    pulls(Operation::all_to_all, 0, any_bytes, Algorithm::one_shot),
    packets(Operation::shards_to_rows, 0, 256 * kib),
    pulls(Operation::shards_to_rows, 0, any_bytes, Algorithm::one_shot),
    packets(Operation::rows_to_shards, 0, 256 * kib),
    pulls(Operation::rows_to_shards, 0, any_bytes, Algorithm::one_shot),
    packets(Operation::all_gather_multiple, 0, 256 * kib),
    pulls(Operation::all_gather_multiple, 0, any_bytes, Algorithm::one_shot),
    packets(Operation::all_reduce_multiple, 0, 128 * kib),
    pulls(Operation::all_reduce_multiple, 0, any_bytes, Algorithm::two_shot),
    packets(Operation::broadcast, 2, 1536 * kib),
    pulls(Operation::broadcast, 2, any_bytes, Algorithm::one_shot, 64),
    packets(Operation::broadcast, 0, 128 * kib),
    pulls(Operation::broadcast, 0, any_bytes, Algorithm::one_shot),
    packets(Operation::reduce, 2, 2 * mib),
    packets(Operation::reduce, 2, 12 * mib, 512),
    pulls(Operation::reduce, 2, any_bytes, Algorithm::one_shot, 64),
    packets(Operation::reduce, 0, 128 * kib),
    pulls(Operation::reduce, 0, any_bytes, Algorithm::one_shot),
};

}  // namespace

std::span<TuningEntry const> cuda_tunings() { return entries; }

}  // namespace Koinon::Impl
