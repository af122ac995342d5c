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

std::string ranks_text(std::vector<int> const& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(ranks[i]);
  return text;
}

PeerWatch::PeerWatch(std::vector<std::int64_t> const& process_ids, int rank) : m_descriptors(process_ids.size()) {
  for (std::size_t p = 0; p < process_ids.size(); ++p) {
    int const peer = static_cast<int>(p);
    if (peer == rank) continue;
    if (process_ids[p] == getpid()) {
      m_threads.push_back(peer);
      continue;
    }
    if (process_ids[p] == 0) {
      m_hidden.push_back(peer);
      continue;
    }
    m_descriptors[p] = FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, process_ids[p], 0)));
    if (m_descriptors[p].valid()) {
      m_watched.push_back(peer);
    } else if (errno == ESRCH) {
      m_gone.push_back(peer);  // it ended, and was reaped, before it could be watched
    } else {
      int const error = errno;
      m_refusals += m_refusals.empty() ? "rank " : "; rank ";
      m_refusals += std::to_string(peer) + ": pidfd_open: " + std::strerror(error);
    }
  }
}

std::string PeerWatch::describe() const {
  std::string text;
  auto const add = [&](std::string const& part) { text += (text.empty() ? "" : "; ") + part; };
  if (m_descriptors.empty()) add("cannot be: all ranks are threads of one process");
  if (!m_watched.empty()) add("found by pidfd: " + ranks_text(m_watched));
  if (!m_threads.empty()) add("cannot be, threads of this process: " + ranks_text(m_threads));
  if (!m_gone.empty()) add("found dead when first looked for: " + ranks_text(m_gone));
  if (!m_hidden.empty()) {
    add("found at the deadline only, process ids are not visible here (other pid namespaces): " + ranks_text(m_hidden));
  }
  if (!m_refusals.empty()) add("found at the deadline only: " + m_refusals);
  return text;
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
