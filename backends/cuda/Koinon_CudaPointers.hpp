// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaPlace.hpp>
#include <Koinon_Export.hpp>

namespace Koinon::Impl {

/// Says why kernels of that place cannot reach an address; null: they can. The text is static.
///
/// Whatever a driver can tell is accepted, from wherever in it: cudaMalloc, the pools, the VMM, managed and pinned
/// memory, memory of a peer to which access was opened; plain host memory where the device reads it through the page
/// tables. Makes no call that a capture forbids, and waits for nothing.
KOINON_EXPORT char const* unreachable_reason(CudaPlace const& place, void const* p);

}  // namespace Koinon::Impl
