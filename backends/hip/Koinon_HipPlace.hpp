// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Koinon::Impl {

/// Says where a rank launches: a device, by the runtime's number in this process.
struct HipPlace {
  int device = 0;
};

}  // namespace Koinon::Impl
