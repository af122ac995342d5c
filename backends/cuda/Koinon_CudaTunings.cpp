// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaTunings.hpp>

#include <array>

namespace Koinon::Impl {

namespace {

constexpr TuningEntry entry(Operation operation, std::int64_t up_to, Algorithm algorithm, std::int32_t max_blocks) {
  return {.backend = ShortName("cuda"),
          .operation = operation,
          .up_to_bytes = up_to,
          .tuning = {.algorithm = algorithm, .transport = Transport::peer_load, .max_blocks = max_blocks}};
}

constexpr std::int64_t kib = 1024;

constexpr std::array entries{
    entry(Operation::all_reduce, 64 * kib, Algorithm::low_latency, 8),
    entry(Operation::all_reduce, any_bytes, Algorithm::two_shot, 32),
    entry(Operation::reduce_scatter, 64 * kib, Algorithm::low_latency, 8),
    entry(Operation::reduce_scatter, any_bytes, Algorithm::one_shot, 32),
    entry(Operation::all_gather, 64 * kib, Algorithm::low_latency, 8),
    entry(Operation::all_gather, any_bytes, Algorithm::one_shot, 32),
    entry(Operation::broadcast, 64 * kib, Algorithm::low_latency, 8),
    entry(Operation::broadcast, any_bytes, Algorithm::one_shot, 32),
    entry(Operation::reduce, 64 * kib, Algorithm::low_latency, 8),
    entry(Operation::reduce, any_bytes, Algorithm::one_shot, 32),
};

}  // namespace

std::span<TuningEntry const> cuda_tunings() { return entries; }

}  // namespace Koinon::Impl
