// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaDriver.hpp>
#include <bootstrap/Koinon_Bootstrap.hpp>

#include <string>
#include <vector>

namespace Koinon::Impl {

/// Is what a rank says of its GPU to the others; trivially copyable.
struct CudaGpu {
  char bus_id[20] = {};  // the same for all that share a GPU, in any process of the host, and for the parts of one
  CUdevice device = 0;   // its number in the rank's process
  bool maps = false;     // memory can be made, mapped and shared piece by piece (cuMemCreate and its like)
  bool exports_descriptors = false;
  bool exports_fabric = false;
  bool multicasts = false;
};

/// Asks the devices and exchanges the answers. Collective; voted.
[[nodiscard]] std::vector<CudaGpu> gather_gpus(Bootstrap& bootstrap, CudaDriver const& driver, CudaPlace const& place);

/// Returns the bus ids, one a rank.
[[nodiscard]] std::vector<std::string> bus_ids(std::vector<CudaGpu> const& gpus);

/// Throws ResourceError if a rank's GPU is known to be out of reach for this rank's, with both names.
void require_reach(CudaDriver const& driver, std::vector<CudaGpu> const& gpus, int rank);

}  // namespace Koinon::Impl
