// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/wait.h>

namespace {

struct Count {
  std::uint64_t instructions = 0;
  std::string output;  ///< of a run that counted nothing
};

/// Counts the instructions of so many calls by callgrind, those of rank 0 in the call and nothing else.
Count count(int ranks, int calls) {
  auto const command = "valgrind --tool=callgrind --callgrind-out-file=/dev/null '--toggle-collect=counted_call*' " +
                       std::string(KOINON_COUNT_CALLS) + " " + std::to_string(ranks) + " " + std::to_string(calls) + " 2>&1";
  auto* const pipe = popen(command.c_str(), "r");
  std::string output;
  std::array<char, 4096> part{};
  while (auto const read = std::fread(part.data(), 1, part.size(), pipe)) output.append(part.data(), read);
  auto const status = pclose(pipe);
  std::string const collected = "Collected : ";
  auto const at = output.find(collected);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || at == std::string::npos) return {0, output};
  return {std::strtoull(output.c_str() + at + collected.size(), nullptr, 10), {}};
}

/// Returns the instructions of one call: what more calls take more, so that nothing that is done once is in it.
double instructions_a_call(int ranks) {
  constexpr int calls = 50;
  auto const some = count(ranks, calls);
  auto const twice = count(ranks, 2 * calls);
  EXPECT_GT(some.instructions, 0u) << some.output;
  EXPECT_GT(twice.instructions, some.instructions) << twice.output;
  return static_cast<double>(twice.instructions - some.instructions) / calls;
}

std::string compiler() {
#if defined(__clang__)
  return "clang " + std::to_string(__clang_major__);
#else
  return "g++ " + std::to_string(__GNUC__);
#endif
}

/// Says why nothing can be compared here; empty: it can.
std::string obstacle(nlohmann::json const& stored) {
#if !defined(__x86_64__)
  return "the stored figures are of x86-64";
#endif
  if (std::string(KOINON_PERF_CONFIGURATION) != "Release")
    return "the stored figures are of a Release build, this is " KOINON_PERF_CONFIGURATION;
  if (stored["compiler"] != compiler())
    return "the stored figures are of " + stored["compiler"].get<std::string>() + ", this is " + compiler();
  if (std::system("valgrind --version >/dev/null 2>&1") != 0)
    return "there is no valgrind (scripts/install_dependencies --all brings it)";
  if (count(1, 1).output.find("unrecognised instruction") != std::string::npos)
    return "this valgrind does not know an instruction of this build";
  return {};
}

}  // namespace

class PerfInstructions : public testing::Test {
 protected:
  void SetUp() override {
    stored = nlohmann::json::parse(std::ifstream(KOINON_PERF_BASELINES "/instructions.json"));
    if (auto const why = obstacle(stored); !why.empty()) GTEST_SKIP() << why;
  }
  nlohmann::json stored;
};

TEST_F(PerfInstructions, OfASmallAllReduceAreThoseThatAreStored) {
  auto const margin = stored["margin"].get<double>();
  ASSERT_FALSE(stored["instructions_a_call"].empty());
  for (auto const& [ranks, expected] : stored["instructions_a_call"].items()) {
    auto const counted = instructions_a_call(std::stoi(ranks));
    std::printf("8-byte all_reduce, %s ranks: %.1f instructions a call, stored %d, margin %.0f %%\n", ranks.c_str(), counted,
                expected.get<int>(), margin * 100);
    EXPECT_NEAR(counted, expected.get<double>(), margin * expected.get<double>())
        << ranks << " ranks: more is a regression; fewer is progress, to be kept in perf_tests/baselines/instructions.json";
  }
}

TEST_F(PerfInstructions, DependOnNoClockAndNoNeighbour) {
  auto const first = count(2, 50);
  ASSERT_GT(first.instructions, 0u) << first.output;
  for (int again = 0; again < 2; ++again) EXPECT_EQ(count(2, 50).instructions, first.instructions);
}
