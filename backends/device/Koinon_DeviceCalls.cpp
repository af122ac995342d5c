// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_DeviceCalls.hpp>

namespace Koinon::Impl {

DeviceCalls::~DeviceCalls() = default;

}  // namespace Koinon::Impl
