// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_HostTunings.hpp>

#include <array>

namespace Koinon::Impl {

namespace {

constexpr TuningEntry entry(Operation operation, std::int32_t ranks, std::int64_t up_to, Algorithm algorithm) {
  return peer_load_entry(ShortName("host"), operation, ranks, up_to, algorithm);
}

constexpr std::int64_t kib = 1024;

constexpr std::array entries{
    entry(Operation::all_reduce, 2, 1 * kib, Algorithm::low_latency),
    entry(Operation::all_reduce, 2, any_bytes, Algorithm::two_shot),
    entry(Operation::all_reduce, 0, 2 * kib, Algorithm::low_latency),
    entry(Operation::all_reduce, 0, any_bytes, Algorithm::two_shot),
    entry(Operation::reduce_scatter, 0, 2 * kib, Algorithm::low_latency),
    entry(Operation::reduce_scatter, 0, any_bytes, Algorithm::one_shot),
    entry(Operation::all_gather, 0, 2 * kib, Algorithm::low_latency),
    entry(Operation::all_gather, 0, any_bytes, Algorithm::one_shot),
    entry(Operation::all_gather_columns, 0, 2 * kib, Algorithm::low_latency),
    entry(Operation::all_gather_columns, 0, any_bytes, Algorithm::one_shot),
    entry(Operation::all_to_all, 0, 2 * kib, Algorithm::low_latency),
    entry(Operation::all_to_all, 0, any_bytes, Algorithm::one_shot),
    entry(Operation::shards_to_rows, 0, 2 * kib, Algorithm::low_latency),
    entry(Operation::shards_to_rows, 0, any_bytes, Algorithm::one_shot),
    entry(Operation::rows_to_shards, 0, 2 * kib, Algorithm::low_latency),
    entry(Operation::rows_to_shards, 0, any_bytes, Algorithm::one_shot),
    entry(Operation::all_gather_multiple, 0, 2 * kib, Algorithm::low_latency),
    entry(Operation::all_gather_multiple, 0, any_bytes, Algorithm::one_shot),
    entry(Operation::all_reduce_multiple, 0, 2 * kib, Algorithm::low_latency),
    entry(Operation::all_reduce_multiple, 0, any_bytes, Algorithm::two_shot),
    entry(Operation::broadcast, 0, 2 * kib, Algorithm::low_latency),
    entry(Operation::broadcast, 0, any_bytes, Algorithm::one_shot),
    entry(Operation::reduce, 0, 2 * kib, Algorithm::low_latency),
    entry(Operation::reduce, 0, any_bytes, Algorithm::one_shot),
};

}  // namespace

std::span<TuningEntry const> host_tunings() { return entries; }

}  // namespace Koinon::Impl
