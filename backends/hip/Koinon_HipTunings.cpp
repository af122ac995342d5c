// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_HipTunings.hpp>

#include <array>

namespace Koinon::Impl {

namespace {

// Not measured by us: the edges and block counts that other libraries found on eight MI300X, whose seven links carry
// about 48 GB/s each. koinon_perf_tests with --tune replaces them (docs/performance).

constexpr std::int64_t kib = 1024;

/// Pushes and pulls: so many blocks keep every link busy, more only wait for it.
constexpr TuningEntry pulls(char const* architecture, Operation operation, std::int32_t ranks, Algorithm algorithm,
                            std::int32_t most_blocks) {
  TuningEntry entry = peer_load_entry(ShortName("hip"), operation, ranks, any_bytes, algorithm);
  entry.architecture = ShortName(architecture);
  entry.tuning.max_blocks = most_blocks;
  return entry;
}
/// Low latency: about one packet a thread, in small blocks.
constexpr TuningEntry packets(char const* architecture, Operation operation, std::int32_t ranks, std::int64_t up_to) {
  TuningEntry entry = peer_load_entry(ShortName("hip"), operation, ranks, up_to, Algorithm::low_latency);
  entry.architecture = ShortName(architecture);
  entry.tuning.block_threads = 256;
  entry.tuning.vector_bytes = 8;
  return entry;
}

constexpr char const* mi300 = "gfx942";
constexpr char const* any = "";

constexpr std::array entries{
    packets(mi300, Operation::all_reduce, 2, 128 * kib),
    pulls(mi300, Operation::all_reduce, 2, Algorithm::two_shot, 64),
    packets(mi300, Operation::all_reduce, 4, 192 * kib),
    pulls(mi300, Operation::all_reduce, 4, Algorithm::two_shot, 80),
    packets(mi300, Operation::all_reduce, 8, 128 * kib),
    pulls(mi300, Operation::all_reduce, 8, Algorithm::two_shot, 80),
    packets(mi300, Operation::reduce_scatter, 2, 512 * kib),
    pulls(mi300, Operation::reduce_scatter, 2, Algorithm::one_shot, 64),
    packets(mi300, Operation::reduce_scatter, 4, 1024 * kib),
    pulls(mi300, Operation::reduce_scatter, 4, Algorithm::one_shot, 80),
    packets(mi300, Operation::reduce_scatter, 8, 2048 * kib),
    pulls(mi300, Operation::reduce_scatter, 8, Algorithm::one_shot, 80),
    packets(any, Operation::all_reduce, 0, 128 * kib),
    pulls(any, Operation::all_reduce, 0, Algorithm::two_shot, 80),
    packets(any, Operation::reduce_scatter, 0, 256 * kib),
    pulls(any, Operation::reduce_scatter, 0, Algorithm::one_shot, 80),
    packets(any, Operation::all_gather, 0, 128 * kib),
    pulls(any, Operation::all_gather, 0, Algorithm::one_shot, 80),
    packets(any, Operation::all_gather_columns, 0, 128 * kib),
    pulls(any, Operation::all_gather_columns, 0, Algorithm::one_shot, 80),
    packets(any, Operation::all_to_all, 0, 128 * kib),
    pulls(any, Operation::all_to_all, 0, Algorithm::one_shot, 80),
    packets(any, Operation::shards_to_rows, 0, 128 * kib),
    pulls(any, Operation::shards_to_rows, 0, Algorithm::one_shot, 80),
    packets(any, Operation::rows_to_shards, 0, 128 * kib),
    pulls(any, Operation::rows_to_shards, 0, Algorithm::one_shot, 80),
    packets(any, Operation::all_gather_multiple, 0, 128 * kib),
    pulls(any, Operation::all_gather_multiple, 0, Algorithm::one_shot, 80),
    packets(any, Operation::all_reduce_multiple, 0, 128 * kib),
    pulls(any, Operation::all_reduce_multiple, 0, Algorithm::two_shot, 80),
    packets(any, Operation::broadcast, 0, 128 * kib),
    pulls(any, Operation::broadcast, 0, Algorithm::one_shot, 80),
    packets(any, Operation::reduce, 0, 128 * kib),
    pulls(any, Operation::reduce, 0, Algorithm::one_shot, 80),
};

}  // namespace

std::span<TuningEntry const> hip_tunings() { return entries; }

}  // namespace Koinon::Impl
