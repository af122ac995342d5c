// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <node/Koinon_Identity.hpp>

#include <Koinon_Error.hpp>

#include <sched.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace Koinon::Impl {

KOINON_EXPORT bool Identity::same_host(Identity const& other) const {
  return std::strcmp(boot_id, other.boot_id) == 0 && std::strcmp(host, other.host) == 0;
}

KOINON_EXPORT bool Identity::same_process(Identity const& other) const {
  return same_host(other) && process_id == other.process_id && process_token[0] == other.process_token[0] &&
         process_token[1] == other.process_token[1];
}

std::uint64_t random_bits() {
  std::uint64_t bits = 0;
  while (getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) {
    if (errno != EINTR) throw ResourceError(std::string("Koinon: getrandom failed: ") + std::strerror(errno));
  }
  return bits;
}

int available_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));  // more processors than the set holds
}

Identity local_identity() {
  // Made at the first communicator: no dynamic initialisation before it.
  static std::uint64_t const token[2] = {random_bits(), random_bits()};
  Identity identity;
  std::ifstream boot("/proc/sys/kernel/random/boot_id");
  std::string line;
  std::getline(boot, line);
  if (line.empty()) throw ResourceError("Koinon: /proc/sys/kernel/random/boot_id cannot be read");
  line.copy(identity.boot_id, sizeof identity.boot_id - 1);
  if (gethostname(identity.host, sizeof identity.host - 1) != 0) {
    throw ResourceError(std::string("Koinon: gethostname failed: ") + std::strerror(errno));
  }
  identity.process_token[0] = token[0];
  identity.process_token[1] = token[1];
  identity.process_id = getpid();
  static std::atomic<std::uint64_t> communicators{0};
  identity.communicator = ++communicators;
  return identity;
}

}  // namespace Koinon::Impl
