// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_HostBackend.hpp>

#include <Koinon_HostTunings.hpp>

#include <string>

namespace Koinon::Impl {

BackendFacts HostBackend::facts(Instance const& instance) {
  BackendFacts backend;
  Facts& facts = backend.facts;
  facts.backend = ShortName("host");
#if defined(__x86_64__)
  facts.architecture = ShortName("x86_64");
#elif defined(__aarch64__)
  facts.architecture = ShortName("aarch64");
#else
  facts.architecture = ShortName("unknown");
#endif
  facts.capabilities = Capability::multimem;
  facts.max_blocks = instance.threads;
  facts.max_block_threads = 1;
  facts.default_block_threads = 1;
  facts.max_vector_bytes = static_cast<std::int32_t>(HostBlock::pack_bytes);
  facts.default_vector_bytes = static_cast<std::int32_t>(HostBlock::pack_bytes);
  // A block's tile is 64 KiB: opening a parallel region costs about what one thread moves of that meanwhile.
  facts.max_vectors_in_flight = 1 << 20;
  facts.default_vectors_in_flight = 512;
  backend.default_staging_bytes = std::size_t{4} << 20;
  backend.default_symmetric_bytes = std::size_t{4} << 20;
  backend.default_zero_copy_bytes = std::size_t{2} << 20;
  backend.round_bytes = std::size_t{512} << 10;
  backend.tunings = host_tunings();
  backend.device = std::to_string(instance.threads) + " thread(s) a rank, " + std::to_string(available_processors()) +
                   " processors";
  backend.multicast = "emulated, by request only: a multicast address is a set of peers";
  return backend;
}

}  // namespace Koinon::Impl
