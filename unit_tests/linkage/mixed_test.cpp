// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <linkage/Koinon_PartCalls.hpp>
#include <support/Koinon_RankKinds.hpp>

#include <map>

// KOINON_NO_CLANG, KOINON_NO_NVCC: why this build has no such part; undefined if it has one.
namespace Koinon::Testing {
namespace {

/// Is a part of this program, or why there is none.
struct PerhapsPart {
  Part const* part = nullptr;
  std::string why_not;
};

std::map<std::string, PerhapsPart> const& parts() {
  static std::map<std::string, PerhapsPart> const all{
      {"optimized", {&part_optimized(), ""}},
      {"unoptimized", {&part_unoptimized(), ""}},
#if defined(KOINON_NO_CLANG)
      {"clang", {nullptr, KOINON_NO_CLANG}},
#else
      {"clang", {&part_clang(), ""}},
#endif
#if defined(KOINON_NO_NVCC)
      {"nvcc", {nullptr, KOINON_NO_NVCC}},
#else
      {"nvcc", {&part_nvcc(), ""}},
#endif
  };
  return all;
}

/// Is about one part beside the optimized one.
class MixedCompilation : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    PerhapsPart const& found = parts().at(GetParam());
    if (found.part == nullptr) GTEST_SKIP() << found.why_not;
    m_part = found.part;
    RecordProperty("compiler", m_part->compiler);
  }
  Part const& part() const { return *m_part; }

 private:
  Part const* m_part = nullptr;
};
INSTANTIATE_TEST_SUITE_P(Parts, MixedCompilation, ::testing::Values("unoptimized", "clang", "nvcc"),
                         [](auto const& about) { return about.param; });

TEST(Parts, DifferInWhatTheyAreComparedFor) {
  EXPECT_TRUE(part_optimized().optimized);
  EXPECT_FALSE(part_optimized().asserts);
  EXPECT_FALSE(part_unoptimized().optimized);
  EXPECT_TRUE(part_unoptimized().asserts);
#if !defined(KOINON_NO_CLANG)
  EXPECT_NE(part_clang().compiler.find("Clang"), std::string::npos) << part_clang().compiler;
#endif
#if !defined(KOINON_NO_NVCC)
  EXPECT_EQ(part_nvcc().compiler.rfind("nvcc", 0), 0u) << part_nvcc().compiler;
#endif
}

TEST_P(MixedCompilation, GivesEveryTypeOneLayout) { EXPECT_EQ(part().layout(), part_optimized().layout()); }

TEST_P(MixedCompilation, GivesRanksThatCallFromDifferentFilesOneResult) {
  for (RankKind const kind : {RankKind::threads, RankKind::processes}) {
    run_on(kind, 3, [&](Bootstrap& bootstrap) {
      Part const& maker = bootstrap.rank() == 1 ? part() : part_optimized();
      Comm const comm = maker.make(bootstrap);
      for (int round = 0; round < 4; ++round) call_in_turn(comm, {&part(), &part_optimized()});
      comm.check();
    });
  }
}

TEST_P(MixedCompilation, CatchesWhatOtherFilesThrow) {
  expect_catches(part());
  run_on(RankKind::threads, 2, [&](Bootstrap& bootstrap) {
    Comm const comm = part_optimized().make(bootstrap);
    refuse_across(comm, part(), part_optimized());
    refuse_across(comm, part_optimized(), part());
    call_in_turn(comm, {&part_optimized(), &part()});
  });
}

TEST(MixedCompilation, LetsAllPartsOfTheProgramCallInTurn) {
  std::vector<Part const*> all;
  for (auto const& [name, found] : parts()) {
    if (found.part != nullptr) all.push_back(found.part);
  }
  run_on(RankKind::threads, 4, [&](Bootstrap& bootstrap) {
    Comm const comm = all[static_cast<std::size_t>(bootstrap.rank()) % all.size()]->make(bootstrap);
    for (int round = 0; round < 4; ++round) call_in_turn(comm, all);
  });
}

}  // namespace
}  // namespace Koinon::Testing
