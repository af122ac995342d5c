// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Koinon {

/// Orders nothing: a signal that releases nothing, a wait that acquires nothing.
struct Relaxed {};
/// Makes a signal release what its block wrote before, or a wait acquire what the signalling rank released.
struct AcquireRelease {};

}  // namespace Koinon
