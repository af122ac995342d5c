// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Cuda.hpp>
#include <Koinon_Perf_Prototype.hpp>
#include <elements/Koinon_Elements.hpp>

#include <algorithm>

namespace Koinon::Perf {

namespace {

constexpr int threads = 512;
constexpr unsigned most_polls = 1u << 24;  // some seconds: a peer that never comes must not take the GPU for good

__device__ void push(PrototypePacket* to, PrototypePacket const& packet) {
  asm volatile("st.relaxed.sys.global.v4.b32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(to), "r"(packet.words[0]), "r"(packet.words[1]), "r"(packet.words[2]), "r"(packet.words[3])
               : "memory");
}

__device__ PrototypePacket poll(PrototypePacket const* from, std::uint32_t number) {
  PrototypePacket packet;
  unsigned polls = 0;
  do {
    asm volatile("ld.relaxed.sys.global.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(packet.words[0]), "=r"(packet.words[1]), "=r"(packet.words[2]), "=r"(packet.words[3])
                 : "l"(from)
                 : "memory");
  } while (packet.words[3] != number && ++polls < most_polls);
  return packet;
}

template <class T>
struct Elements {
  static constexpr std::size_t in_packet = prototype_packet_bytes / sizeof(T);
  union {
    T elements[in_packet];
    std::uint32_t words[3];
  };
  __device__ Elements() : words{} {}

  __device__ void load(T const* from, std::size_t count) {
    if (count >= in_packet) {
      auto const* const source = reinterpret_cast<std::uint32_t const*>(from);
      for (int i = 0; i < 3; ++i) words[i] = source[i];
    } else {
      for (std::size_t i = 0; i < count; ++i) elements[i] = from[i];
    }
  }
  __device__ void store(T* to, std::size_t count) const {
    if (count >= in_packet) {
      auto* const target = reinterpret_cast<std::uint32_t*>(to);
      for (int i = 0; i < 3; ++i) target[i] = words[i];
    } else {
      for (std::size_t i = 0; i < count; ++i) to[i] = elements[i];
    }
  }
};

template <class T>
__global__ void __launch_bounds__(threads) prototype(PrototypeArguments const __grid_constant__ arguments) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" : : : "memory");
#endif
  constexpr auto in_packet = Elements<T>::in_packet;
  auto const number = arguments.numbers[blockIdx.x] + 1;
  auto const packets = (arguments.count + in_packet - 1) / in_packet;
  auto const box = (number & 1) * static_cast<std::size_t>(arguments.ranks) * arguments.slot_packets;
  auto const first = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
  auto const step = static_cast<std::size_t>(gridDim.x) * threads;
  auto const* const in = static_cast<T const*>(arguments.in);
  auto* const out = static_cast<T*>(arguments.out);
  for (auto p = first; p < packets; p += step) {
    Elements<T> own;
    own.load(in + p * in_packet, arguments.count - p * in_packet);
    PrototypePacket const packet{{own.words[0], own.words[1], own.words[2], number}};
    for (int i = 1; i < arguments.ranks; ++i) {
      auto const peer = (arguments.rank + i) % arguments.ranks;
      push(arguments.boxes[peer] + box + arguments.rank * arguments.slot_packets + p, packet);
    }
  }
  for (auto p = first; p < packets; p += step) {
    float sums[in_packet] = {};
    for (int rank = 0; rank < arguments.ranks; ++rank) {
      Elements<T> part;
      if (rank == arguments.rank) {
        part.load(in + p * in_packet, arguments.count - p * in_packet);
      } else {
        auto const packet = poll(arguments.boxes[arguments.rank] + box + rank * arguments.slot_packets + p, number);
        for (int i = 0; i < 3; ++i) part.words[i] = packet.words[i];
      }
      for (std::size_t i = 0; i < in_packet; ++i) sums[i] += static_cast<float>(part.elements[i]);
    }
    Elements<T> result;
    for (std::size_t i = 0; i < in_packet; ++i) result.elements[i] = static_cast<T>(sums[i]);
    result.store(out + p * in_packet, arguments.count - p * in_packet);
  }
  __syncthreads();  // all threads have read the block's number
  // A later launch may have more blocks: theirs go on too, each written by one block that runs, and read by none.
  for (auto b = blockIdx.x + threadIdx.x * gridDim.x; b < prototype_most_blocks; b += threads * gridDim.x)
    arguments.numbers[b] = number;
}

}  // namespace

template <class T>
void launch_prototype(PrototypeArguments const& arguments, int blocks, bool dependent_launch, cudaStream_t stream) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(threads);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = dependent_launch ? 1 : 0;
  require_cuda(cudaLaunchKernelEx(&config, prototype<T>, arguments), "launching the prototype");
}

template void launch_prototype<float>(PrototypeArguments const&, int, bool, cudaStream_t);
template void launch_prototype<bfloat16>(PrototypeArguments const&, int, bool, cudaStream_t);

void load_prototype() {
  cudaFuncAttributes attributes;
  require_cuda(cudaFuncGetAttributes(&attributes, prototype<float>), "loading a kernel");
  require_cuda(cudaFuncGetAttributes(&attributes, prototype<bfloat16>), "loading a kernel");
}

}  // namespace Koinon::Perf
