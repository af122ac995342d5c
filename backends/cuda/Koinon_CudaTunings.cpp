// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaTunings.hpp>

#include <array>

namespace Koinon::Impl {

namespace {

// Measured on one H200 with ranks as threads (docs/cuda): no link is crossed there.

/// Pulls: as many large blocks as there is room for.
constexpr TuningEntry pulls(Operation operation, std::int32_t ranks, std::int64_t up_to, Algorithm algorithm) {
  return peer_load_entry(ShortName("cuda"), operation, ranks, up_to, algorithm);
}
/// Packets: about one a thread, in small blocks.
constexpr TuningEntry packets(Operation operation, std::int32_t ranks, std::int64_t up_to) {
  TuningEntry entry = pulls(operation, ranks, up_to, Algorithm::low_latency);
  entry.tuning.block_threads = 256;
  entry.tuning.vector_bytes = 8;
  return entry;
}

constexpr std::int64_t kib = 1024;

constexpr std::array entries{
    packets(Operation::all_reduce, 2, 512 * kib),
    pulls(Operation::all_reduce, 2, 1024 * kib, Algorithm::one_shot),
    pulls(Operation::all_reduce, 2, any_bytes, Algorithm::two_shot),
    packets(Operation::all_reduce, 4, 256 * kib),
    packets(Operation::all_reduce, 0, 128 * kib),
    pulls(Operation::all_reduce, 0, 256 * kib, Algorithm::one_shot),
    pulls(Operation::all_reduce, 0, any_bytes, Algorithm::two_shot),
    packets(Operation::reduce_scatter, 0, 256 * kib),
    pulls(Operation::reduce_scatter, 0, any_bytes, Algorithm::one_shot),
    packets(Operation::all_gather, 0, 256 * kib),
    pulls(Operation::all_gather, 0, any_bytes, Algorithm::one_shot),
    packets(Operation::broadcast, 0, 128 * kib),
    pulls(Operation::broadcast, 0, any_bytes, Algorithm::one_shot),
    packets(Operation::reduce, 0, 128 * kib),
    pulls(Operation::reduce, 0, any_bytes, Algorithm::one_shot),
};

}  // namespace

std::span<TuningEntry const> cuda_tunings() { return entries; }

}  // namespace Koinon::Impl
