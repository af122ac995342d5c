// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_HostStream.hpp>

#if defined(KOINON_HOST_STREAMS)
#include <cpuid.h>
#endif

namespace Koinon::Impl {

bool HostStream::can_flush() {
#if defined(KOINON_HOST_STREAMS)
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 23 & 1) != 0;
#else
  return false;
#endif
}

}  // namespace Koinon::Impl
