// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// The threads of one block of a kernel, on a host: fibers that take turns in one thread of the system. So what is shared
/// in a block is thread_local, and between two turns nothing of the block changes.
namespace Koinon::Shim {

/// Runs `threads` calls of body(data), each on a stack of its own, until all have returned. Of a block, or in vain: where
/// all that are left wait for each other in different ways, the program is ended with the reason.
void run_block(int block, int blocks, int threads, int wave, void (*body)(void* data), void* data);

// Of the fiber that runs.
[[nodiscard]] int block();
[[nodiscard]] int blocks();
[[nodiscard]] int thread();
[[nodiscard]] int threads();
/// Lets other fibers have a turn, and other threads of the system once all have had one.
void pause();
/// Is called before each access that others may wait for, or make: pauses at every 16th.
void note_access();
/// Waits until all threads of the block that still run are here.
void barrier();

/// Is what lanes of a wave lay down for each other.
struct Exchanged {
  std::uint64_t const* values;  // by lane
  std::uint64_t lanes;          // a bit for each lane that took part
};
/// Returns what all threads of this wave have that still run. By all of them.
[[nodiscard]] Exchanged exchange_in_wave(std::uint64_t value);
/// From threads that have parted: those take part that are here once no other of the wave can go on, as lanes that a
/// branch leaves out wait for those in it.
[[nodiscard]] Exchanged exchange_in_part(std::uint64_t value);

}  // namespace Koinon::Shim
