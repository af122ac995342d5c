// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_TuningTable.hpp>

#include <span>

namespace Koinon::Impl {

/// Returns the tunings measured for hosts.
std::span<TuningEntry const> host_tunings();

}  // namespace Koinon::Impl
