// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Koinon_EnvironmentGuard.hpp"
#include <communicator/Koinon_TuningFile.hpp>
#include <support/Koinon_FaultCalls.hpp>
#include <support/Koinon_RankKinds.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace Koinon::Testing {
namespace {

/// Is a file of its own that goes away again.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string const& text)
      : m_path(::testing::TempDir() + "koinon_tuning_" + std::to_string(getpid()) + ".json") {
    std::ofstream(m_path) << text;
  }
  TemporaryFile(TemporaryFile const&) = delete;
  TemporaryFile& operator=(TemporaryFile const&) = delete;
  ~TemporaryFile() { std::filesystem::remove(m_path); }
  [[nodiscard]] std::string const& path() const { return m_path; }

 private:
  std::string m_path;
};

/// Returns the algorithm that a call would take.
Algorithm algorithm_of_all_reduce(Comm const& comm, std::size_t count) {
  auto& state = *comm.state();
  std::vector<float> data(count);
  CollectivePolicy<HostThread> const policy(comm.space(), comm);
  Impl::Refusal refusal;
  auto const call = Impl::call_all_reduce(policy, std::span<float const>(data), std::span<float>(data), Sum{});
  Selection const* const selection = Impl::choose(state, policy.request(), call, refusal);
  return selection == nullptr ? Algorithm::automatic : selection->algorithm;
}

TEST(TuningFile, ChangesTheAlgorithmThatIsChosen) {
  run_on(RankKind::threads, 2, [](Bootstrap& bootstrap) {
    EXPECT_EQ(algorithm_of_all_reduce(make_comm(bootstrap), 100), Algorithm::low_latency);
  });
  TemporaryFile const file(R"([
      {"backend": "host", "operation": "all_reduce", "up_to_bytes": 1000, "algorithm": "one_shot"},
      {"backend": "host", "operation": "all_reduce", "ranks": 2, "up_to_bytes": "any", "algorithm": "two_shot"}])");
  EnvironmentGuard const guard("KOINON_TUNING", file.path());
  run_on(RankKind::threads, 2, [&](Bootstrap& bootstrap) {
    Comm const comm = make_comm(bootstrap);
    EXPECT_EQ(algorithm_of_all_reduce(comm, 100), Algorithm::two_shot) << "the entry with the number of ranks";
    EXPECT_NE(comm.describe().find("2 of " + file.path()), std::string::npos) << comm.describe();
    for (Way const& way : ways) reduce_ones(comm, "x", way);
    std::vector<float> const in(100, 1.0f);
    std::vector<float> out(100);
    all_reduce(CollectivePolicy<HostThread>(comm.space(), comm), std::span(in), std::span(out));
    EXPECT_EQ(out, std::vector<float>(100, 2.0f));
  });
  run_on(RankKind::threads, 3, [](Bootstrap& bootstrap) {
    Comm const comm = make_comm(bootstrap);
    EXPECT_EQ(algorithm_of_all_reduce(comm, 100), Algorithm::one_shot);
  });
}

/// Returns the transport that rows with an epilogue would take.
Transport transport_of_rows(Comm const& comm) {
  using Policy = CollectivePolicy<HostThread>;
  std::vector<bfloat16> const data(64);
  Policy const policy(comm.space(), comm);
  Impl::Refusal refusal;
  auto const call = Impl::call_rows<Operation::all_reduce>(policy, Array<bfloat16 const, 2>(data.data(), 4, 16), Sum{},
                                                           row_epilogue([](Policy::row_type&) {}), nullptr);
  Selection const* const selection = Impl::choose(*comm.state(), policy.request(), call, refusal);
  return selection == nullptr ? Transport::automatic : selection->transport;
}

TEST(TuningFile, AloneGivesRowsWithAnEpilogueToMulticastThatNobodyAskedFor) {
  run_on(RankKind::threads, 2, [](Bootstrap& bootstrap) {
    EXPECT_EQ(transport_of_rows(make_comm(bootstrap)), Transport::peer_load);
  });
  TemporaryFile const file(R"([{"backend": "host", "operation": "all_reduce", "up_to_bytes": "any",
                                "algorithm": "two_shot", "transport": "multimem"}])");
  EnvironmentGuard const guard("KOINON_TUNING", file.path());
  run_on(RankKind::threads, 2, [](Bootstrap& bootstrap) {
    EXPECT_EQ(transport_of_rows(make_comm(bootstrap)), Transport::multimem);
  });
}

TEST(TuningFile, ThatIsWrongIsAnErrorThatNamesFileEntryAndReasonOnAllRanks) {
  struct Wrong {
    char const* text;
    std::vector<std::string> reasons;
  };
  std::vector<Wrong> const all{
      {"[{", {"does not parse"}},
      {"not json", {"does not parse"}},
      {"", {"does not parse"}},
      {R"({"algorithm": "one_shot"})", {"is not a list"}},
      {R"([7])", {"entry 0", "is not an object"}},
      {R"([{}, {"algorithmus": "one_shot"}])", {"entry 1", "no field `algorithmus`"}},
      {R"([{"algorithm": "three_shot"}])", {"entry 0", "`three_shot` is no value of `algorithm`"}},
      {R"([{"blocks": -3}])", {"`-3` is no value of `blocks`"}},
      {R"([{"blocks": 2.5}])", {"`2.5` is no value of `blocks`"}},
      {R"([{"operation": 3}])", {"`3` is no value of `operation`"}},
      {R"([{}, {"entry_barrier": "skip"}])", {"entry 1", "`entry_barrier` is for the caller to vouch for"}},
      {R"([{"dependent_launch": "on"}])", {"`dependent_launch` is for the caller to vouch for"}},
      {R"([{"early_trigger": "on"}])", {"`early_trigger` is for the caller to vouch for"}},
      {R"([{"min_blocks": 8, "max_blocks": 2}])", {"min_blocks exceeds max_blocks"}},
  };
  for (Wrong const& wrong : all) {
    TemporaryFile const file(wrong.text);
    EnvironmentGuard const guard("KOINON_TUNING", file.path());
    run_on(RankKind::threads, 2, [&](Bootstrap& bootstrap) {
      Caught const found = caught([&] { (void)make_comm(bootstrap); });
      expect_error(found, "InvalidArgument", "KOINON_TUNING", file.path());
      for (std::string const& reason : wrong.reasons) EXPECT_TRUE(found.says(reason)) << found.message;
    });
  }
}

TEST(TuningFile, ThatCannotBeReadIsAnErrorThatNamesItOnAllRanks) {
  for (char const* const path : {"/no/such/directory/tuning.json", "/proc/self"}) {
    EnvironmentGuard const guard("KOINON_TUNING", path);
    run_on(RankKind::threads, 2, [&](Bootstrap& bootstrap) {
      Caught const found = caught([&] { (void)make_comm(bootstrap); });
      EXPECT_NE(found.type, "nothing");
      EXPECT_TRUE(found.says("KOINON_TUNING") && found.says(path) && found.says("cannot be read")) << found.message;
    });
  }
}

TEST(TuningFile, WhoseTextDiffersOverRanksIsAMismatch) {
  if (thread_sanitized) GTEST_SKIP() << "ThreadSanitizer does not see across processes";
  TemporaryFile const file("[]");
  EnvironmentGuard const guard("KOINON_TUNING", file.path());
  expect_ends(run_forked_ranks(2, [&](ForkedRank& rank) {
    // The second rank reads after the file has changed: between its first exchange and the vote on reading.
    struct ChangesFile final : Bootstrap {
      ForkedRank& inner;
      std::string path;
      int exchanges = 0;
      ChangesFile(ForkedRank& r, std::string p) : inner(r), path(std::move(p)) {}
      int rank() const override { return inner.rank(); }
      int size() const override { return inner.size(); }
      void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) override {
        inner.all_gather(mine, all);
        if (exchanges++ > 0) return;
        if (rank() == 0) return;
        while (inner.word(0) == 0) std::this_thread::sleep_for(milliseconds(1));
        std::ofstream(path) << R"([{"algorithm": "one_shot"}])";
      }
      void barrier() override { inner.barrier(); }
    };
    ChangesFile bootstrap(rank, file.path());
    std::thread helper;
    if (rank.rank() == 0) {
      helper = std::thread([&] {  // rank 0 has read long before
        std::this_thread::sleep_for(milliseconds(200));
        rank.word(0) = 1;
      });
    }
    Caught const found = caught([&] { (void)make_comm(bootstrap); });
    if (helper.joinable()) helper.join();
    expect_error(found, "MismatchError", "tuning file");
  }));
}

}  // namespace
}  // namespace Koinon::Testing
