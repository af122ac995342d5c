// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_HipRuntime.hpp>
#include <bootstrap/Koinon_Bootstrap.hpp>

#include <vector>

namespace Koinon::Impl {

/// Is what a rank says of its GPU to the others; trivially copyable.
struct HipGpu {
  char bus_id[20] = {};  // the same for all that share a GPU, in any process of the host, and for the parts of one
  int device = 0;        // its number in the rank's process
};

/// Asks the devices and exchanges the answers. Collective; voted.
[[nodiscard]] std::vector<HipGpu> gather_gpus(Bootstrap& bootstrap, HipRuntime const& runtime, HipPlace const& place);

/// Throws ResourceError if a rank's GPU is known to be out of reach for this rank's, with both names. @param threads all
/// ranks are threads of this process: device numbers are everyone's
void require_reach(HipRuntime const& runtime, std::vector<HipGpu> const& gpus, int rank, bool threads);

/// Opens what other ranks' devices have, now and later, to the kernels of this rank's. Left open: whoever else uses it
/// in this process counts on it too. Throws ResourceError. @pre all ranks are threads of this process
void open_access(HipRuntime const& runtime, std::vector<HipGpu> const& gpus, int rank);

}  // namespace Koinon::Impl
