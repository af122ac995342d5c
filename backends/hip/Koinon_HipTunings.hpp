// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_TuningTable.hpp>

#include <span>

namespace Koinon::Impl {

/// Returns the tunings for AMD GPUs.
std::span<TuningEntry const> hip_tunings();

}  // namespace Koinon::Impl
