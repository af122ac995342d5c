// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Config.hpp>
#include <bootstrap/Koinon_ThreadBootstrap.hpp>
#include <support/Koinon_ExecutionSpaces.hpp>
#include <support/Koinon_ForkedRanks.hpp>
#include <support/Koinon_RankRunner.hpp>
#if defined(KOINON_ENABLE_MPI)
#include <bootstrap/Koinon_Mpi.hpp>
#endif

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <thread>

namespace Koinon::Testing {

namespace {

struct Options {
  RanksAs ranks_as = RanksAs::threads;
  std::uint64_t seed = 20250101;
  int calls = 0;
  int cells = 0;
  int mpi_ranks = 1;
};
Options options;
#if defined(KOINON_ENABLE_MPI)
std::optional<MpiBootstrap> mpi_bootstrap;  // of all that run_ranks runs: what is made by it may be kept between
#endif

thread_local int thread_rank = 0;

template <class Number>
bool read_number(std::string_view text, Number& number) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

bool read_option(std::string_view argument) {
  auto const value_of = [&](std::string_view name) {
    return argument.starts_with(name) ? argument.substr(name.size()) : std::string_view();
  };
  if (argument == "--ranks-as=threads") return true;
  if (argument == "--ranks-as=forked") return options.ranks_as = RanksAs::forked, true;
#if defined(KOINON_ENABLE_MPI)
  if (argument == "--ranks-as=mpi") return options.ranks_as = RanksAs::mpi, true;
#endif
  if (auto const text = value_of("--seed="); !text.empty()) return read_number(text, options.seed);
  if (auto const text = value_of("--calls="); !text.empty()) return read_number(text, options.calls);
  if (auto const text = value_of("--cells="); !text.empty()) return read_number(text, options.cells);
  return false;
}

}  // namespace

RanksAs ranks_as() {
  return options.ranks_as;
}

// Under a sanitizer everything takes some ten times as long: a good part of the matrix then.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

std::vector<int> rank_counts() {
  switch (options.ranks_as) {
    case RanksAs::mpi:
      return {options.mpi_ranks};
    case RanksAs::forked:
      return {1, 2, 3, 8};
    default:
      if (sanitized) return {1, 2, 3, 4, 8};
      return {1, 2, 3, 4, 5, 6, 7, 8};
  }
}

std::vector<int> many_rank_counts() {
  std::vector<int> counts = rank_counts();
  if (options.ranks_as == RanksAs::threads && !sanitized) counts.insert(counts.end(), {16, 33});
  return counts;
}

std::vector<int> few_rank_counts() {
  if (options.ranks_as == RanksAs::mpi) return {options.mpi_ranks};
  return {2, 3};
}

std::vector<int> mixed_rank_counts() {
  if (options.ranks_as == RanksAs::mpi) return {options.mpi_ranks};
  return {2, 3, 8};
}

int rank_of_thread() {
  return thread_rank;
}

void run_ranks(int ranks, std::function<void(Koinon::Bootstrap&)> const& of_rank) {
  auto const body = [&](Koinon::Bootstrap& bootstrap) {
    thread_rank = bootstrap.rank();
    of_rank(bootstrap);
  };
  switch (options.ranks_as) {
    case RanksAs::threads:
      Koinon::run_thread_ranks(ranks, body);
      return;
    case RanksAs::forked:
      expect_ends(run_forked_ranks(ranks, body, std::chrono::minutes(20)));
      return;
    case RanksAs::mpi: {
#if defined(KOINON_ENABLE_MPI)
      ASSERT_EQ(ranks, options.mpi_ranks);
      if (!mpi_bootstrap) mpi_bootstrap.emplace(MPI_COMM_WORLD);
      body(*mpi_bootstrap);
      mpi_bootstrap->barrier();
#endif
      return;
    }
  }
}

std::uint64_t seed() {
  return options.seed;
}
int calls(int otherwise) {
  return options.calls > 0 ? options.calls : otherwise;
}
int cells(int otherwise) {
  return options.cells > 0 ? std::min(options.cells, otherwise) : otherwise;
}
std::string ranks_name(int ranks) {
  return std::to_string(ranks) + (ranks == 1 ? "_rank" : "_ranks");
}

void delay(std::uint64_t random) {
  std::uint64_t const kind = random % 1024;
  if (kind == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } else if (kind < 16) {
    std::this_thread::sleep_for(std::chrono::microseconds(random / 1024 % 50));
  } else if (kind < 128) {
    std::this_thread::yield();
  }
}

}  // namespace Koinon::Testing

int main(int argc, char** argv) {
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    std::string_view const argument = argv[i];
    if (Koinon::Testing::read_option(argument)) continue;
    if (!argument.starts_with("--gtest_")) {
      std::fprintf(stderr, "unknown argument or value: %s\n", argv[i]);
      return 2;
    }
    argv[kept++] = argv[i];
  }
  argc = kept;
  setenv("KOINON_MULTICAST", "0", 0);  // no test makes a real multicast object unless it is told to
#if defined(KOINON_ENABLE_MPI)
  bool const mpi = Koinon::Testing::options.ranks_as == Koinon::Testing::RanksAs::mpi;
  if (mpi) {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_size(MPI_COMM_WORLD, &Koinon::Testing::options.mpi_ranks);
  }
#endif
  std::printf("seed %llu (--seed=N)\n", static_cast<unsigned long long>(Koinon::Testing::options.seed));
  int failed = 0;
  {
    [[maybe_unused]] Koinon::Testing::SpacesGuard const spaces;
    ::testing::InitGoogleTest(&argc, argv);
    failed = RUN_ALL_TESTS();
  }
#if defined(KOINON_ENABLE_MPI)
  Koinon::Testing::mpi_bootstrap.reset();
  if (mpi) MPI_Finalize();
#endif
  return failed;
}
