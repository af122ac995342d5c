// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <linkage/Koinon_Part.hpp>

// KOINON_SIDE: the name of this shared library's function; KOINON_PART: that of the part in it.
namespace Koinon::Testing {

__attribute__((visibility("default"))) Part const& KOINON_SIDE() { return KOINON_PART(); }

}  // namespace Koinon::Testing

/// What a program that knows nothing of Koinon calls after dlopen: runs ranks, gives how many had right results.
extern "C" __attribute__((visibility("default"))) int koinon_run_side(int ranks) {
  return Koinon::Testing::KOINON_PART().run(ranks);
}
