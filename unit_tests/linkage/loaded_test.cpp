// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

// KOINON_LEFT, KOINON_RIGHT: the files of two shared libraries that use Koinon. This program does not.
namespace {

std::atomic<int> reads_of_koinon_variables = 0;

}  // namespace

/// Counts who reads Koinon's variables: this program's definition comes before the C library's, in loaded libraries too.
extern "C" char* getenv(char const* name) noexcept {
  static auto* const real = reinterpret_cast<char* (*)(char const*)>(dlsym(RTLD_NEXT, "getenv"));
  if (std::strncmp(name, "KOINON_", 7) == 0) ++reads_of_koinon_variables;
  return real(name);
}

namespace {

/// Is a library that was loaded as a plugin is: what it defines is its own.
class Loaded {
 public:
  explicit Loaded(char const* file) : m_handle(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
    if (m_handle == nullptr) throw std::runtime_error(dlerror());
  }
  Loaded(Loaded const&) = delete;
  Loaded& operator=(Loaded const&) = delete;
  ~Loaded() { dlclose(m_handle); }

  int run(int ranks) const {
    return reinterpret_cast<int (*)(int)>(dlsym(m_handle, "koinon_run_side"))(ranks);
  }
  void* symbol() const { return dlsym(m_handle, "koinon_run_side"); }

 private:
  void* m_handle;
};

std::ptrdiff_t threads() {
  using Tasks = std::filesystem::directory_iterator;
  return std::distance(Tasks("/proc/self/task"), Tasks());
}

TEST(LoadedLibraries, StartNoThreadAndReadNoVariableBeforeTheirFirstCommunicator) {
  std::ptrdiff_t const before = threads();
  int const reads_before = reads_of_koinon_variables;
  Loaded const left(KOINON_LEFT);
  Loaded const right(KOINON_RIGHT);
  EXPECT_EQ(threads(), before);
  EXPECT_EQ(reads_of_koinon_variables, reads_before);
  EXPECT_EQ(left.run(1), 1);
  EXPECT_GT(reads_of_koinon_variables, reads_before) << "the count must see what the libraries read";
}

TEST(LoadedLibraries, AreApart) {
  Loaded const left(KOINON_LEFT);
  Loaded const right(KOINON_RIGHT);
  EXPECT_NE(left.symbol(), right.symbol());
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "koinon_run_side"), nullptr) << "RTLD_LOCAL must hide them from the program";
}

TEST(LoadedLibraries, RunTheirRanksAtTheSameTime) {
  Loaded const left(KOINON_LEFT);
  Loaded const right(KOINON_RIGHT);
  std::array<int, 4> right_results{};
  std::array<std::thread, 4> runs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i] = std::thread(
        [&, i] { right_results[i] = (i % 2 == 0 ? left : right).run(static_cast<int>(i) + 1); });
  }
  for (std::thread& run : runs) run.join();
  EXPECT_EQ(right_results, (std::array{1, 2, 3, 4}));
}

TEST(LoadedLibraries, MayGoAndComeBack) {
  for (int i = 0; i < 3; ++i) {
    auto left = std::make_unique<Loaded>(KOINON_LEFT);
    EXPECT_EQ(left->run(2), 2);
    Loaded const right(KOINON_RIGHT);
    left.reset();
    EXPECT_EQ(right.run(3), 3);
  }
}

}  // namespace
