// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Config.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace {

#if defined(__AVX__)
[[maybe_unused]] constexpr char const* vector_register = "%ymm";
[[maybe_unused]] constexpr int vector_bytes = 32;
#else
[[maybe_unused]] constexpr char const* vector_register = "%xmm";
[[maybe_unused]] constexpr int vector_bytes = 16;
#endif
/// A thread reduces this much at a time, in registers: a loop that vectorizes adds at least so many vectors.
[[maybe_unused]] constexpr int pack_bytes = 128;

struct SumLoop {
  std::string element;      // as the compiler spells it
  std::string instruction;  // that adds a vector
};

/// Counts the packed adds in the library's all_reduce bodies for each loop.
[[maybe_unused]] std::map<std::string, int> packed_adds(std::string const& library,
                                                        std::map<std::string, SumLoop> const& loops) {
  std::map<std::string, int> counts;
  std::FILE* const pipe = popen(("objdump -d -C --no-show-raw-insn '" + library + "' 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return counts;
  std::string current;
  char line[4096];
  std::string text;
  while (std::fgets(line, sizeof line, pipe) != nullptr) {
    text += line;
    if (text.back() != '\n') continue;
    bool const is_name = text.find(">:\n") != std::string::npos && text.find(" <") != std::string::npos;
    if (is_name) {
      current.clear();
      for (auto const& [name, loop] : loops) {
        bool const reduces =
            text.find("AllReduce<") != std::string::npos || text.find("launch_all_reduce<") != std::string::npos;
        if (reduces && text.find(loop.element + ", Koinon::Sum") != std::string::npos) current = name;
      }
      if (!current.empty()) counts[current] += 0;
    } else if (!current.empty()) {
      std::string const& add = loops.at(current).instruction;
      bool const adds =
          text.find("\t" + add + " ") != std::string::npos || text.find("\tv" + add + " ") != std::string::npos;
      if (adds && text.find(vector_register) != std::string::npos) ++counts[current];
    }
    text.clear();
  }
  return pclose(pipe) == 0 ? counts : std::map<std::string, int>{};
}

TEST(Library, SumsOfFloatDoubleBfloat16AndInt32AddWholeVectorsOfTheWidthCompiledFor) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "the instructions are those of x86-64";
#elif !defined(__OPTIMIZE__)
  GTEST_SKIP() << "the build is not optimized";
#elif defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitizers instrument every load: loops do not vectorize";
#elif !defined(KOINON_ENABLE_INSTANTIATIONS)
  GTEST_SKIP() << "this library holds no instantiations";
#else
  char const* const library = std::getenv("KOINON_TEST_LIBRARY");
  ASSERT_NE(library, nullptr) << "ctest sets it";
  if (std::system("objdump --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no objdump";
  std::map<std::string, SumLoop> const loops{{"float", {"float", "addps"}},
                                             {"double", {"double", "addpd"}},
                                             {"int32", {"int", "paddd"}},
                                             {"bfloat16", {"Bfloat16Format>", "addps"}}};
  std::map<std::string, int> const counts = packed_adds(library, loops);
  for (auto const& [name, loop] : loops) {
    ASSERT_TRUE(counts.contains(name)) << library << " holds no all_reduce of " << name;
    EXPECT_GE(counts.at(name), pack_bytes / vector_bytes)
        << "the sum loops of " << name << " hold too few " << loop.instruction << " on " << vector_register;
  }
#endif
}

}  // namespace
