// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Cuda.hpp>
#include <Koinon_Perf_Element.hpp>
#include <Koinon_Perf_NormKernel.hpp>

#include <cstdint>
#include <stdexcept>

namespace Koinon::Perf {

namespace {

constexpr int threads = 512;
constexpr int warps = threads / 32;

/// Elements that a thread loads at once.
template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
  T values[N];
};

template <class T>
struct NormArguments {
  T const* reduced;
  T const* residual;  // null: none
  T const* weight;
  T* sum_out;
  T* norm_out;  // null: quantized
  float8_e4m3* quantized_out;
  float* scales_out;  // null: one scale
  unsigned columns, groups;
  float weight_offset, epsilon, scale;
};

__device__ float sum_over_block(float value) {
  __shared__ float parts[warps];
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  value = 0;
  for (float const part : parts) value += part;
  return value;
}

/// A row a block. Each warp goes over groups of 128 columns, N of a lane at once, so that a group has one warp; its lanes
/// read in the second pass what they wrote in the first.
template <class T, int N>
__global__ void normalize(NormArguments<T> a) {
  constexpr unsigned group = Case::group;
  auto const row = static_cast<std::size_t>(blockIdx.x) * a.columns;
  auto const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  using P = Pack<T, N>;
  auto const at = [](auto* array, std::size_t i) { return reinterpret_cast<Pack<std::remove_pointer_t<decltype(array)>, N>*>(array + i); };
  float squares = 0;
  for (unsigned g = warp; g < a.groups; g += warps)
    for (unsigned c = g * group + lane * N; c < min((g + 1) * group, a.columns); c += 32 * N) {
      P values = *reinterpret_cast<P const*>(a.reduced + row + c);
      P added{};
      if (a.residual != nullptr) added = *reinterpret_cast<P const*>(a.residual + row + c);
      for (int i = 0; i < N; ++i) {
        auto const sum = static_cast<float>(values.values[i]) + (a.residual != nullptr ? static_cast<float>(added.values[i]) : 0.0f);
        values.values[i] = T(sum);
        squares += sum * sum;
      }
      if (a.residual != nullptr) *at(a.sum_out, row + c) = values;
    }
  auto const factor = 1.0f / sqrtf(sum_over_block(squares) / static_cast<float>(a.columns) + a.epsilon);
  T const* const sums = a.residual != nullptr ? a.sum_out : a.reduced;
  constexpr int rounds = group / (32 * N);
  for (unsigned g = warp; g < a.groups; g += warps) {
    float norm[rounds][N] = {};
    float most = 1e-10f;
    for (int k = 0; k < rounds; ++k) {
      auto const c = g * group + static_cast<unsigned>(k) * 32 * N + lane * N;
      if (c >= a.columns) continue;
      P const values = *reinterpret_cast<P const*>(sums + row + c);
      P const weights = *reinterpret_cast<P const*>(a.weight + c);
      for (int i = 0; i < N; ++i) {
        norm[k][i] = static_cast<float>(values.values[i]) * factor * (static_cast<float>(weights.values[i]) + a.weight_offset);
        most = fmaxf(most, fabsf(norm[k][i]));
      }
    }
    float scale = a.scale;
    if (a.scales_out != nullptr) {
      for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, step));
      scale = most / 448.0f;
      if (lane == 0) a.scales_out[blockIdx.x * a.groups + g] = scale;
    }
    for (int k = 0; k < rounds; ++k) {
      auto const c = g * group + static_cast<unsigned>(k) * 32 * N + lane * N;
      if (c >= a.columns) continue;
      if (a.norm_out != nullptr) {
        P values;
        for (int i = 0; i < N; ++i) values.values[i] = T(norm[k][i]);
        *at(a.norm_out, row + c) = values;
      } else {
        Pack<float8_e4m3, N> values;
        for (int i = 0; i < N; ++i) values.values[i] = float8_e4m3(fminf(fmaxf(norm[k][i] / scale, -448.0f), 448.0f));
        *at(a.quantized_out, row + c) = values;
      }
    }
  }
}

template <class T>
void launch(Case const& what, Arrays const& arrays, int rank, cudaStream_t stream) {
  auto const parts = what.norm_parts(rank);
  auto const rows = what.operation == Operation::reduce_scatter ? what.counts[static_cast<std::size_t>(rank)] : what.rows;
  if (rows == 0 || what.columns == 0) return;
  auto const* const in = static_cast<T const*>(arrays.in);
  auto* const out = static_cast<T*>(arrays.out);
  NormArguments<T> a{};
  a.reduced = out + what.reduced_in_output(rank);
  a.residual = what.has_residual() ? in + parts.residual : nullptr;
  a.weight = in + parts.weight;
  a.sum_out = out + parts.residual_out;
  a.norm_out = what.is_quantized() ? nullptr : out + parts.norm_out;
  a.quantized_out = reinterpret_cast<float8_e4m3*>(out + parts.norm_out);
  a.scales_out = what.norm == Norm::fp8_groups ? reinterpret_cast<float*>(out + parts.scales) : nullptr;
  a.columns = static_cast<unsigned>(what.columns);
  a.groups = static_cast<unsigned>(what.groups());
  a.weight_offset = Case::weight_offset;
  a.epsilon = Case::epsilon;
  a.scale = Case::scale;
  auto const blocks = static_cast<unsigned>(rows);
  if (what.columns % 4 == 0)
    normalize<T, 4><<<blocks, threads, 0, stream>>>(a);
  else
    normalize<T, 1><<<blocks, threads, 0, stream>>>(a);
  require_cuda(cudaGetLastError(), "launching the norm");
}

}  // namespace

void launch_norm(Case const& what, Arrays const& arrays, int rank, cudaStream_t stream) {
  switch (what.type) {
    case ElementType::f32:
      return launch<float>(what, arrays, rank, stream);
    case ElementType::f16:
      return launch<float16>(what, arrays, rank, stream);
    case ElementType::bf16:
      return launch<bfloat16>(what, arrays, rank, stream);
    default:
      throw std::invalid_argument("no norm of rows of this type");
  }
}

}  // namespace Koinon::Perf
