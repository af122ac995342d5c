// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <support/Koinon_FaultCalls.hpp>
#include <support/Koinon_Random.hpp>
#include <support/Koinon_RankKinds.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <new>
#include <numeric>
#include <sys/mman.h>

namespace Koinon::Testing {
namespace {

/// Is a group of ranks that come together by a bootstrap of their own, in memory that all have.
class Group {
 public:
  explicit Group(std::vector<int> members) : m_members(std::move(members)) {
    void* const at = mmap(nullptr, sizeof(ForkedWorld), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    m_world = new (at) ForkedWorld;
  }
  Group(Group const&) = delete;
  Group& operator=(Group const&) = delete;
  ~Group() { munmap(m_world, sizeof(ForkedWorld)); }

  [[nodiscard]] std::vector<int> const& members() const { return m_members; }
  /// Makes this rank's communicator; none for a rank that is no member. Collective over the members.
  [[nodiscard]] std::unique_ptr<Comm> join(int rank, CommunicatorOptions const& options = {}) const {
    auto const at = std::find(m_members.begin(), m_members.end(), rank);
    if (at == m_members.end()) return nullptr;
    ForkedRank bootstrap(*m_world, static_cast<int>(at - m_members.begin()), static_cast<int>(m_members.size()));
    return std::make_unique<Comm>(make_comm(bootstrap, options));
  }

 private:
  std::vector<int> m_members;
  ForkedWorld* m_world;
};

class OverlappingGroups : public OnBothKinds {};
INSTANTIATE_TEST_SUITE_P(Ranks, OverlappingGroups, both_kinds(), kind_name);

/// Sums what tells members, group and call apart, and expects the sum of exactly this group's members.
void sum_in(Comm const& comm, std::vector<int> const& members, int rank, int call) {
  CollectivePolicy<HostThread> const policy(comm.space(), comm);
  Way const& way = ways[static_cast<std::size_t>(call) % 3];
  std::vector<int> const in(way.count, 1000 * call + (1 << rank));
  std::vector<int> out(way.count);
  all_reduce("group", prefer(policy, Tuning{.algorithm = way.algorithm}), std::span(in), std::span(out));
  int const expected = std::accumulate(members.begin(), members.end(), 0,
                                       [&](int sum, int member) { return sum + 1000 * call + (1 << member); });
  for (int const x : out) ASSERT_EQ(x, expected) << "rank " << rank << ", call " << call;
}

TEST_P(OverlappingGroups, OfSeparateBootstrapsInterleaveTheirCalls) {
  Group const first({0, 1});
  Group const second({1, 2});
  run(3, [&](Bootstrap& world) {
    int const rank = world.rank();
    // Started at different numbers: a wait of one group that took the other's word would end early.
    CommunicatorOptions options;
    options.launch_number = 0xFFFFFFE0u;
    auto const of_first = first.join(rank);
    auto const of_second = second.join(rank, options);
    ASSERT_EQ(of_first != nullptr, rank != 2);
    ASSERT_EQ(of_second != nullptr, rank != 0);
    // The rank of both groups takes turns in an order of its own: one after the other, then several at once of one.
    Random random(7);
    int calls[2] = {};
    for (int i = 0; i < 200; ++i) {
      bool const in_first = random.one_in(2);
      int const call = calls[in_first ? 0 : 1]++;
      if (in_first && of_first) sum_in(*of_first, first.members(), rank, call);
      if (!in_first && of_second) sum_in(*of_second, second.members(), rank, call);
    }
    if (of_first) of_first->check();
    if (of_second) of_second->check();
  });
}

TEST_P(OverlappingGroups, AndTheGroupOfAllWorkAtOnce) {
  Group const first({0, 1});
  Group const second({2, 1});  // in an order that is not the world's
  run(4, [&](Bootstrap& world) {
    int const rank = world.rank();
    Comm const all = make_comm(world);
    auto const of_first = first.join(rank);
    auto const of_second = second.join(rank);
    if (of_second) {
      EXPECT_EQ(of_second->rank(), rank == 2 ? 0 : 1);
    }
    for (int call = 0; call < 30; ++call) {
      if (of_first) sum_in(*of_first, first.members(), rank, call);
      sum_in(all, {0, 1, 2, 3}, rank, call);
      if (of_second) sum_in(*of_second, second.members(), rank, call);
    }
  });
}

TEST_P(OverlappingGroups, KeepAFailureToThemselves) {
  Group const first({0, 1});
  Group const second({1, 2});
  run(3, [&](Bootstrap& world) {
    int const rank = world.rank();
    auto const of_first = first.join(rank);
    auto const of_second = second.join(rank);
    world.barrier();  // nobody aborts what another is still making
    if (rank == 0) of_first->abort("one group only");
    if (of_first) {
      Caught const found = caught([&] {
        for (int call = 0;; ++call) sum_in(*of_first, first.members(), rank, call);
      });
      expect_error(found, "AbortedError", "one group only");
    }
    if (of_second) {
      for (int call = 0; call < 30; ++call) sum_in(*of_second, second.members(), rank, call);
      of_second->check();
    }
  });
}

}  // namespace
}  // namespace Koinon::Testing
