// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>

namespace Koinon::Impl {

/// Is a number of threads of the caller's that share the blocks of a launch.
struct HostTeam {
  int threads = 1;
};

/// Calls work(argument, index) for index in [0, count), each on a thread of its own, and returns when all have ended.
/// The caller is one of them. Without OpenMP the indices run one after the other, in rising order: blocks wait only for
/// peers' blocks of the same index, so ranks whose lowest open block is the same always go on.
/// Throws the first exception that work threw, when all have ended.
KOINON_EXPORT void run_on_threads(int count, void (*work)(void*, int), void* argument);

/// Counts the parallel regions that run_on_threads opened in this process. For tests.
KOINON_EXPORT unsigned long parallel_regions();

}  // namespace Koinon::Impl
