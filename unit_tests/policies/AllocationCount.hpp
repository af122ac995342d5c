// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

/// Gives the number of calls of operator new in this program so far.
std::size_t allocation_count();
