// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_DeviceFacts.hpp>

namespace Koinon::Impl {

BackendFacts facts_of(DeviceProperties const& device) {
  BackendFacts backend;
  Facts& facts = backend.facts;
  facts.max_blocks = device.multiprocessors;  // of all communicators of all ranks of the device
  facts.max_block_threads = device.most_threads;
  facts.block_threads_multiple = device.lanes;
  facts.default_block_threads = device.most_threads;
  facts.max_vector_bytes = 16;
  facts.default_vector_bytes = 16;
  facts.max_vectors_in_flight = 8;
  facts.default_vectors_in_flight = 1;
  backend.default_staging_bytes = std::size_t{64} << 20;
  backend.default_symmetric_bytes = std::size_t{64} << 20;
  backend.round_bytes = std::size_t{8} << 20;
  // The default stream is null, and each device has one.
  backend.instance_key = reinterpret_cast<std::uintptr_t>(device.stream) * 1024 + static_cast<unsigned>(device.number) + 1;
  backend.device_key = device.key;
  backend.device = device.name + ", " + std::to_string(device.multiprocessors) + " multiprocessors";
  backend.multicast = "not used";
  return backend;
}

}  // namespace Koinon::Impl
