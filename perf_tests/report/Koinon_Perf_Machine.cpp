// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Machine.hpp>

#include <fstream>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace Koinon::Perf {

namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0)
      if (auto const at = line.find(": "); at != std::string::npos) return line.substr(at + 2);
  return "unknown";
}

int usable_cores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 0;
}

std::string kernel() {
  utsname name{};
  return uname(&name) == 0 ? std::string(name.sysname) + " " + name.release : "unknown";
}

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#elif defined(__GNUC__)
  return "g++ " __VERSION__;
#else
  return "unknown";
#endif
}

}  // namespace

std::vector<std::pair<std::string, std::string>> describe_machine() {
  return {{"processor", processor()},
          {"cores", std::to_string(sysconf(_SC_NPROCESSORS_ONLN))},
          {"cores_of_rank_0", std::to_string(usable_cores())},
          {"kernel", kernel()},
          {"compiler", compiler()}};
}

}  // namespace Koinon::Perf
