// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <support/Koinon_FaultCalls.hpp>
#include <support/Koinon_RankKinds.hpp>

#include <gtest/gtest.h>

#include <cstring>

namespace Koinon::Testing {
namespace {

TEST(UserBootstrap, OfOneRankNeedsNothing) {
  struct Alone final : Bootstrap {
    int rank() const override { return 0; }
    int size() const override { return 1; }
    void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) override {
      std::copy(mine.begin(), mine.end(), all.begin());
    }
    void barrier() override {}
  } alone;
  Comm const comm = make_comm(alone);
  for (Way const& way : ways) reduce_ones(comm, "x", way);
  EXPECT_EQ(comm.size(), 1);
}

/// Counts what a communicator asks of its bootstrap, and refuses once it is told to.
class CountingBootstrap final : public Bootstrap {
 public:
  explicit CountingBootstrap(Bootstrap& inner) : m_inner(inner) {}
  [[nodiscard]] int rank() const override { return m_inner.rank(); }
  [[nodiscard]] int size() const override { return m_inner.size(); }
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) override {
    EXPECT_EQ(all.size(), mine.size() * static_cast<std::size_t>(size()));
    ++calls;
    m_inner.all_gather(mine, all);
  }
  void barrier() override {
    ++calls;
    m_inner.barrier();
  }
  int calls = 0;

 private:
  Bootstrap& m_inner;
};

class BootstrapUse : public OnBothKinds {};
INSTANTIATE_TEST_SUITE_P(Ranks, BootstrapUse, both_kinds(), kind_name);

TEST_P(BootstrapUse, IsAtCreationOnly) {
  run(3, [](Bootstrap& bootstrap) {
    std::optional<CountingBootstrap> counting(bootstrap);
    std::optional<Comm> comm = make_comm(*counting);
    EXPECT_GT(counting->calls, 0);
    counting.reset();  // and it need not live any longer
    auto const array = symmetric_array<float, 1>(*comm, 100);
    auto const child = comm->split(0, 0);
    reduce_ones(*child, "x", ways[2]);
    free_symmetric(*comm, array);
    comm.reset();
  });
}

TEST(ThreadRanks, ThirtyThreeWorkTogether) {
  run_thread_ranks(33, [](ThreadBootstrap& bootstrap) {
    Comm const comm = make_comm(bootstrap);
    EXPECT_EQ(comm.size(), 33);
    for (std::size_t w = 0; w < 3; ++w) reduce_ones(comm, "x", ways[w]);
    auto const array = symmetric_array<int, 1>(comm, 33);
    array(static_cast<std::size_t>(comm.rank())) = 1;
    auto const third = comm.split(comm.rank() % 3, 0);
    EXPECT_EQ(third->size(), 11);
    reduce_ones(*third, "y", ways[1]);
  });
}

TEST(ThreadRanks, FewerThanOneAreRefused) {
  for (int const ranks : {0, -3}) {
    Caught const found = caught([&] { run_thread_ranks(ranks, [](ThreadBootstrap&) { ADD_FAILURE(); }); });
    expect_error(found, "InvalidArgument", std::to_string(ranks) + " ranks asked for");
  }
}

TEST_P(BootstrapUse, DescribeSaysWhatWasAgreed) {
  bool const threads = GetParam() == RankKind::threads;
  run(2, [&](Bootstrap& bootstrap) {
    Comm const comm = make_comm(bootstrap);
    (void)symmetric_array<float, 1>(comm, 1000);
    std::string const text = comm.describe();
    for (std::string const& part :
         {"rank " + std::to_string(comm.rank()) + " of 2", std::string("backend        host"), std::string("multicast"),
          std::string("timeout        600 s"), std::string("built-in entries, 0 of no file"),
          std::string(threads ? "threads of one process" : "processes, shared memory by descriptor"),
          std::string(threads ? "cannot be: all ranks are threads" : "found by pidfd: rank "), std::string("bytes a rank: words"),
          std::string("`array` 4096 bytes at offset"), std::string("preferences    all kept")}) {
      EXPECT_NE(text.find(part), std::string::npos) << "`" << part << "` is not in\n" << text;
    }
    CollectivePolicy<HostThread> const policy(comm.space(), comm);
    auto const wish = prefer(policy, Tuning{.algorithm = Algorithm::low_latency, .transport = Transport::multimem});
    std::vector<float> data(2, 1.0f);
    all_reduce("x", wish, std::span(data), std::span(data));
    EXPECT_NE(comm.describe().find("not kept: all_reduce: "), std::string::npos) << comm.describe();
  });
}

/// Changes what ranks say of themselves: the block of that size is an Identity.
class LyingBootstrap final : public Bootstrap {
 public:
  using Change = std::function<void(int rank, Impl::Identity&)>;
  LyingBootstrap(Bootstrap& inner, Change change) : m_inner(inner), m_change(std::move(change)) {}
  [[nodiscard]] int rank() const override { return m_inner.rank(); }
  [[nodiscard]] int size() const override { return m_inner.size(); }
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) override {
    m_inner.all_gather(mine, all);
    if (mine.size() != sizeof(Impl::Identity)) return;
    for (int rank = 0; rank < size(); ++rank) {
      std::byte* const at = all.data() + mine.size() * static_cast<std::size_t>(rank);
      Impl::Identity identity;
      std::memcpy(&identity, at, sizeof identity);
      m_change(rank, identity);
      std::memcpy(at, &identity, sizeof identity);
    }
  }
  void barrier() override { m_inner.barrier(); }

 private:
  Bootstrap& m_inner;
  Change m_change;
};

TEST(Identity, OfAnotherHostOrBootIsUnsupportedAndNamedOnAllRanks) {
  std::vector<LyingBootstrap::Change> const changes{[](int rank, Impl::Identity& identity) {
                                                      if (rank == 2) std::strcpy(identity.host, "elsewhere");
                                                    },
                                                    [](int rank, Impl::Identity& identity) {
                                                      if (rank == 2) std::strcpy(identity.boot_id, "elsewhere");
                                                    }};
  for (auto const& change : changes) {
    run_on(RankKind::threads, 3, [&](Bootstrap& bootstrap) {
      LyingBootstrap lying(bootstrap, change);
      Caught const found = caught([&] { (void)make_comm(lying); });
      expect_error(found, "UnsupportedError", "rank 0 is on host ", "rank 2 on host ", "elsewhere");
    });
  }
}

// Equal process ids in two containers are not one process: memory goes by descriptor, and works between threads too.
TEST(Identity, OfEqualProcessIdsWithAnotherTokenIsAnotherProcess) {
  run_on(RankKind::threads, 3, [](Bootstrap& bootstrap) {
    LyingBootstrap lying(bootstrap, [](int rank, Impl::Identity& identity) {
      identity.process_token[0] ^= static_cast<std::uint64_t>(rank);
    });
    Comm const comm = make_comm(lying);
    EXPECT_NE(comm.describe().find("processes, shared memory by descriptor"), std::string::npos);
    for (Way const& way : ways) reduce_ones(comm, "x", way);
    comm.check();
  });
}

TEST(Identity, ComparesHostAndBootAndProcess) {
  Impl::Identity const here = Impl::local_identity();
  EXPECT_TRUE(here.same_host(here) && here.same_process(here));
  EXPECT_TRUE(here.same_process(Impl::local_identity()));
  EXPECT_EQ(here.process_id, getpid());
  auto const changed = [&](auto change) {
    Impl::Identity other = here;
    change(other);
    return other;
  };
  auto const other_host = changed([](auto& o) { o.host[0] ^= 1; });
  auto const other_boot = changed([](auto& o) { o.boot_id[0] ^= 1; });
  auto const other_process = changed([](auto& o) { ++o.process_id; });
  auto const other_token = changed([](auto& o) { ++o.process_token[1]; });
  EXPECT_FALSE(here.same_host(other_host) || here.same_process(other_host));
  EXPECT_FALSE(here.same_host(other_boot) || here.same_process(other_boot));
  EXPECT_TRUE(here.same_host(other_process) && !here.same_process(other_process));
  EXPECT_TRUE(here.same_host(other_token) && !here.same_process(other_token));
}

}  // namespace
}  // namespace Koinon::Testing
