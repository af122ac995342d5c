// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <device/Koinon_DeviceRank.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <memory>
#include <string>
#include <vector>

// Messages of more than 2^31 elements and more than 2^32 bytes, made and checked on the device.
namespace Koinon::Testing {
namespace {

constexpr int ranks = 2;
constexpr std::size_t count = (std::size_t{1} << 31) + 12'347;  // of one rank
constexpr std::size_t in_bytes = count * sizeof(bfloat16);
static_assert(in_bytes > std::size_t{1} << 32);

/// Returns a value that tells element i of a rank from those 2^31 or 2^32 elements or bytes beside it. The sum of two
/// is an integer below 256: exact.
__device__ std::uint32_t value_of(std::size_t i, int rank) {
  std::uint64_t const mixed = (i + 1) * 0x9E3779B97F4A7C15ull;
  return static_cast<std::uint32_t>(mixed >> 57) % 100 + static_cast<std::uint32_t>(rank);
}
__device__ std::uint16_t bits_of(std::uint32_t integer) {  // of a bfloat16
  return static_cast<std::uint16_t>(__float_as_uint(static_cast<float>(integer)) >> 16);
}
__global__ void make_input(std::uint16_t* in, std::size_t n, int rank) {
  std::size_t const stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    in[i] = bits_of(value_of(i, rank));
  }
}
/// Counts the elements that are not the sum of the values of ranks [first, last).
__global__ void count_wrong(std::uint16_t const* out, std::size_t n, int first, int last, unsigned long long* wrong) {
  std::size_t const stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  unsigned long long mine = 0;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    std::uint32_t sum = 0;
    for (int p = first; p < last; ++p) sum += value_of(i, p);
    if (out[i] != bits_of(sum)) ++mine;
  }
  if (mine != 0) atomicAdd(wrong, mine);
}

/// Is the memory of a rank, taken before any kernel waits for a peer; private, or nothing.
struct Arrays {
  bfloat16* in = nullptr;
  bfloat16* out = nullptr;  // twice as many
};

class LargeRank {
 public:
  /// Takes symmetric memory where `arrays` has none.
  LargeRank(Bootstrap& bootstrap, Arrays const& arrays)
      : m_comm(m_space, bootstrap,
               {.symmetric_bytes = arrays.in != nullptr ? std::size_t{1} << 20 : 3 * in_bytes + 4096,
                .timeout = std::chrono::seconds(60)}),
        m_policy(m_space, m_comm),
        m_arrays(arrays),
        m_memory(make_space_memory(m_space)),
        m_wrong(reinterpret_cast<unsigned long long*>(m_memory->private_memory())) {
    if (m_arrays.in == nullptr) {
      m_arrays.in = symmetric_array<bfloat16, 1>(m_comm, count).pointer;
      m_arrays.out = symmetric_array<bfloat16, 1>(m_comm, ranks * count).pointer;
    }
    make_input<<<1024, 256, 0, stream()>>>(bits(m_arrays.in), count, m_comm.rank());
    require(cudaGetLastError());
  }

  void expect_sum(Tuning const& tuning) const {
    spoil(count);
    all_reduce("large", Koinon::require(m_policy, tuning), Array<bfloat16 const, 1>(m_arrays.in, count),
               Array<bfloat16, 1>(m_arrays.out, count));
    EXPECT_EQ(wrong(0, 0, ranks), 0u) << "all_reduce, " << to_string(tuning.algorithm) << ", "
                                      << to_string(tuning.transport);
  }
  void expect_gathered(Tuning const& tuning) const {
    spoil(ranks * count);
    all_gather("large", Koinon::require(m_policy, tuning), Array<bfloat16 const, 1>(m_arrays.in, count),
               Array<bfloat16, 1>(m_arrays.out, ranks * count));
    for (int p = 0; p < ranks; ++p) {
      EXPECT_EQ(wrong(static_cast<std::size_t>(p) * count, p, p + 1), 0u)
          << "all_gather of rank " << p << ", " << to_string(tuning.algorithm) << ", " << to_string(tuning.transport);
    }
  }
  void end(Bootstrap& bootstrap) const {
    m_comm.check();
    bootstrap.barrier();
  }

 private:
  [[nodiscard]] cudaStream_t stream() const { return m_space.stream().stream(); }
  [[nodiscard]] static std::uint16_t* bits(bfloat16* p) { return reinterpret_cast<std::uint16_t*>(p); }
  void spoil(std::size_t n) const { require(cudaMemsetAsync(m_arrays.out, 0xC3, n * sizeof(bfloat16), stream())); }
  [[nodiscard]] unsigned long long wrong(std::size_t offset, int first, int last) const {
    require(cudaMemsetAsync(m_wrong, 0, sizeof *m_wrong, stream()));
    count_wrong<<<1024, 256, 0, stream()>>>(bits(m_arrays.out) + offset, count, first, last, m_wrong);
    require(cudaGetLastError());
    unsigned long long result = 0;
    m_memory->download(reinterpret_cast<std::byte*>(&result), reinterpret_cast<std::byte const*>(m_wrong),
                       sizeof result);
    return result;
  }

  EmulatedCudaStream m_space;
  Communicator<EmulatedCudaStream> m_comm;
  CollectivePolicy<EmulatedCudaStream> m_policy;
  Arrays m_arrays;
  std::unique_ptr<SpaceMemory const> m_memory;
  unsigned long long* m_wrong;
};

/// Says why there is no room for the arrays of all ranks, and as much again for what comes with them; empty: there is.
std::string lack_of_memory() {
  std::size_t const needed = ranks * 3 * in_bytes + (std::size_t{2} << 30);
  std::size_t free = 0;
  std::size_t total = 0;
  require(cudaMemGetInfo(&free, &total));
  if (free >= needed) return {};
  return "the GPU has " + std::to_string(free >> 30) + " GiB free, this needs " + std::to_string((needed >> 30) + 1);
}

void expect_all(std::vector<Arrays> const& arrays) {
  run_thread_ranks(ranks, [&](ThreadBootstrap& bootstrap) {
    LargeRank const rank(bootstrap, arrays[static_cast<std::size_t>(bootstrap.rank())]);
    bootstrap.barrier();
    for (Tuning const& tuning : {Tuning{}, Tuning{.algorithm = Algorithm::one_shot, .transport = Transport::peer_load},
                                 Tuning{.transport = Transport::multimem}}) {
      rank.expect_sum(tuning);
      rank.expect_gathered(tuning);
    }
    rank.expect_sum({.algorithm = Algorithm::two_shot, .transport = Transport::peer_load});
    rank.end(bootstrap);
  });
}

TEST(DeviceLargeMessages, OfMoreThanFourGibibytesInPrivateMemoryAreRight) {
  if (std::string const lack = lack_of_memory(); !lack.empty()) GTEST_SKIP() << lack;
  std::vector<Arrays> arrays(ranks);
  for (Arrays& each : arrays) {
    require(cudaMalloc(&each.in, in_bytes));
    require(cudaMalloc(&each.out, ranks * in_bytes));
  }
  expect_all(arrays);
  for (Arrays const& each : arrays) {
    require(cudaFree(each.in));
    require(cudaFree(each.out));
  }
}

TEST(DeviceLargeMessages, OfMoreThanFourGibibytesInSymmetricMemoryAreRight) {
  if (std::string const lack = lack_of_memory(); !lack.empty()) GTEST_SKIP() << lack;
  expect_all(std::vector<Arrays>(ranks));
}

}  // namespace
}  // namespace Koinon::Testing
