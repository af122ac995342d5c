// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace Koinon::Perf {

/// Sets what has to be in the environment before the first call of CUDA, unless the user did: a hardware queue for each
/// rank's stream, kernels loaded at once, no hardware multicast by ourselves or by NCCL. Before any thread is started.
void set_gpu_environment();

/// Returns the number of GPUs that this process can use.
/// @throws std::runtime_error that says why there is none
int count_gpus();

/// Names a GPU, driver and runtime.
std::vector<std::pair<std::string, std::string>> describe_gpu(int device);

/// Returns the bus address of a GPU: equal for two ranks of a host only if they share it.
std::string gpu_address(int device);

}  // namespace Koinon::Perf
