// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: Koinon::workspace_bytes: this operation has no borrowed form
#include <Koinon_Core.hpp>

std::size_t bytes = Koinon::workspace_bytes<Koinon::AllReduce, float>(4, 100, 10);
