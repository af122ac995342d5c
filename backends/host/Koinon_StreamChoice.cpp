// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_StreamChoice.hpp>

#include <Koinon_HostStream.hpp>

#include <algorithm>
#include <cstring>

namespace Koinon::Impl {

bool StreamChoice::copy(void* to, void const* from, std::size_t bytes) {
  bool const streaming = streams();
  if (streaming && m_until_probe > 0) {
    --m_until_probe;
    HostStream::copy(to, from, bytes);
    return true;
  }
  auto const begin = std::chrono::steady_clock::now();
  std::memcpy(to, from, bytes);
  std::chrono::duration<double, std::nano> const took = std::chrono::steady_clock::now() - begin;
  bool const costly = took.count() * 64.0 > dear * static_cast<double>(bytes);
  if (costly) {
    m_pause = streaming ? std::min(2 * m_pause, longest_pause) : first_pause;
    m_until_probe = m_pause;
  } else {
    m_pause = first_pause;
  }
  if (costly != streaming) m_streams.store(costly, std::memory_order_relaxed);
  return false;
}

}  // namespace Koinon::Impl
