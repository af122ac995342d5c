// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_TuningTable.hpp>

#include <span>

namespace Koinon::Impl {

/// Returns the tunings measured for NVIDIA GPUs.
std::span<TuningEntry const> cuda_tunings();

}  // namespace Koinon::Impl
