// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace Koinon::Perf {

/// Twelve bytes of data and the number of the launch that sent them, written and read as one.
struct alignas(16) PrototypePacket {
  std::uint32_t words[4];
};

inline constexpr int prototype_most_ranks = 8;
inline constexpr int prototype_most_blocks = 256;
inline constexpr std::size_t prototype_packet_bytes = 12;

/// What the prototype's kernel works on.
struct PrototypeArguments {
  PrototypePacket* boxes[prototype_most_ranks];  ///< each rank's: two in turn, in each a slot for every rank
  std::size_t slot_packets;
  std::uint32_t* numbers;  ///< this rank's last launch, once a block
  void const* in;
  void* out;
  std::size_t count;
  int rank;
  int ranks;
};

/// Enqueues a one-shot all_reduce (sum): every rank pushes its packets to all others, then adds what it got, in the
/// order of the ranks. No checks and no deadlines: what the exchange alone takes, to compare machines and changes by.
/// @tparam T float or bfloat16
template <class T>
void launch_prototype(PrototypeArguments const& arguments, int blocks, bool dependent_launch, cudaStream_t stream);

/// Loads the kernels on the current device.
void load_prototype();

}  // namespace Koinon::Perf
