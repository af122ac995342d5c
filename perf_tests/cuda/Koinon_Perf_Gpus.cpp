// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Cuda.hpp>
#include <Koinon_Perf_Gpus.hpp>

#include <cstdlib>

namespace Koinon::Perf {

namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

void set_gpu_environment() {
  // Streams that share a hardware queue wait for each other, and so would ranks that share a GPU.
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  // A kernel that is loaded at its first launch may wait for a peer's that waits for it.
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  setenv("KOINON_MULTICAST", "0", 0);
  setenv("NCCL_NVLS_ENABLE", "0", 0);
}

int count_gpus() {
  int count = 0;
  auto const error = cudaGetDeviceCount(&count);
  if (error == cudaSuccess && count > 0) return count;
  (void)cudaGetLastError();
  throw std::runtime_error(std::string("there is no NVIDIA GPU that this program can use (") +
                           (error == cudaSuccess ? "the driver counts none" : cudaGetErrorString(error)) +
                           "); --device host measures the host");
}

std::vector<std::pair<std::string, std::string>> describe_gpu(int device) {
  cudaDeviceProp properties{};
  int driver = 0;
  int runtime = 0;
  require_cuda(cudaGetDeviceProperties(&properties, device), "asking for a GPU's properties");
  require_cuda(cudaDriverGetVersion(&driver), "asking for the driver's version");
  require_cuda(cudaRuntimeGetVersion(&runtime), "asking for the runtime's version");
  return {{"gpu", properties.name},
          {"multiprocessors", std::to_string(properties.multiProcessorCount)},
          {"cuda_of_driver", version_text(driver)},
          {"cuda", version_text(runtime)}};
}

std::string gpu_address(int device) {
  char address[32] = {};
  require_cuda(cudaDeviceGetPCIBusId(address, sizeof address, device), "asking for a GPU's address");
  return address;
}

}  // namespace Koinon::Perf
