// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <node/Koinon_PeerWatch.hpp>

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace Koinon::Impl {

PeerWatch::PeerWatch(std::vector<std::int64_t> const& process_ids) : m_descriptors(process_ids.size()) {
  for (std::size_t rank = 0; rank < process_ids.size(); ++rank) {
    if (process_ids[rank] == 0 || process_ids[rank] == getpid()) continue;
    m_descriptors[rank] = FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, process_ids[rank], 0)));
    if (!m_descriptors[rank].valid() && errno == ESRCH) {
      m_gone.push_back(static_cast<int>(rank));  // it ended, and was reaped, before it could be watched
      continue;
    }
    if (!m_descriptors[rank].valid() && m_unwatched.empty()) {
      m_unwatched = "rank " + std::to_string(rank) + ": pidfd_open: " + std::strerror(errno);
    }
  }
}

std::vector<int> PeerWatch::dead_ranks() const {
  std::vector<int> dead = m_gone;
  constexpr std::size_t batch = 64;
  pollfd polled[batch];
  int ranks[batch];
  for (std::size_t next = 0; next < m_descriptors.size();) {
    nfds_t n = 0;
    for (; next < m_descriptors.size() && n < batch; ++next) {
      if (!m_descriptors[next].valid()) continue;
      polled[n] = pollfd{m_descriptors[next].get(), POLLIN, 0};
      ranks[n++] = static_cast<int>(next);
    }
    if (n == 0 || poll(polled, n, 0) <= 0) continue;
    for (nfds_t i = 0; i < n; ++i) {
      if ((polled[i].revents & POLLIN) != 0) dead.push_back(ranks[i]);
    }
  }
  std::sort(dead.begin(), dead.end());
  return dead;
}

}  // namespace Koinon::Impl
