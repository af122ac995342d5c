// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>

namespace Koinon::Perf {

/// Enqueues a kernel of one thread that ends when the word has reached the number, or after two seconds.
void launch_gate(unsigned const* word, unsigned number, cudaStream_t stream);

/// Enqueues a kernel that writes to[i] = tile[(start + i) % period] for count elements of 1, 2, 4 or 8 bytes.
void launch_fill(void* to, void const* tile, std::size_t count, unsigned start, unsigned period,
                 std::size_t element_bytes, cudaStream_t stream);

constexpr unsigned load_threads = 256;

/// Enqueues blocks that rewrite memory, over and over, until *ends is not 0, or for 20 ms: nobody waits for it longer. Adds
/// what was read and written to *moved. Both words are of the host.
void launch_load(void* memory, std::size_t bytes, unsigned const* ends, unsigned long long* moved, unsigned blocks,
                 cudaStream_t stream);

/// Loads these kernels on the current device.
void load_kernels();

}  // namespace Koinon::Perf
