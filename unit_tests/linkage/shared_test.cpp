// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <linkage/Koinon_PartCalls.hpp>
#include <support/Koinon_FaultCalls.hpp>
#include <support/Koinon_RankKinds.hpp>

#include <optional>

namespace Koinon::Testing {

// Each in a shared library of its own, which was linked to Koinon as this program was.
Part const& left();
Part const& right();

namespace {

class TwoSharedLibraries : public OnBothKinds {};
INSTANTIATE_TEST_SUITE_P(Ranks, TwoSharedLibraries, both_kinds(), kind_name);

TEST_P(TwoSharedLibraries, ReachOneCommunicatorAndAlternateOnIt) {
  run(3, [](Bootstrap& bootstrap) {
    Comm const comm = left().make(bootstrap);
    for (int round = 0; round < 4; ++round) {
      call_in_turn(comm, {&left(), &right()});
      reduce_ones(comm, "program", ways[static_cast<std::size_t>(round) % 3]);
    }
    comm.check();
  });
}

TEST_P(TwoSharedLibraries, MakeRanksOfOneCommunicator) {
  run(4, [](Bootstrap& bootstrap) {
    int const maker = bootstrap.rank() % 3;
    Comm const comm = maker == 0 ? make_comm(bootstrap) : (maker == 1 ? left() : right()).make(bootstrap);
    for (int round = 0; round < 2; ++round) call_in_turn(comm, {&right(), &left()});
    auto const half = comm.split(comm.rank() % 2, 0);
    call_in_turn(*half, {&left(), &right()});
  });
}

TEST_P(TwoSharedLibraries, UseCommunicatorsOfEachOtherAtOnce) {
  run(2, [](Bootstrap& bootstrap) {
    Comm const of_left = left().make(bootstrap);
    std::optional<Comm> of_right = right().make(bootstrap);
    for (int round = 0; round < 4; ++round) {
      call_in_turn(of_left, {&right()});
      call_in_turn(*of_right, {&left()});
    }
    of_right.reset();  // made there, destroyed here
    call_in_turn(of_left, {&right(), &left()});
  });
}

TEST(TwoSharedLibrariesOfOneProgram, AgreeOnEveryLayoutThoughTheyWereOptimizedDifferently) {
  EXPECT_NE(left().optimized, right().optimized);
  EXPECT_EQ(left().layout(), right().layout());
}

TEST(TwoSharedLibrariesOfOneProgram, CatchEachOthersErrorsByClassAndMember) {
  expect_catches(left());
  expect_catches(right());
  run_on(RankKind::threads, 2, [](Bootstrap& bootstrap) {
    Comm const comm = right().make(bootstrap);
    refuse_across(comm, left(), right());
    refuse_across(comm, right(), left());
    EXPECT_THROW(left().call_wrongly(comm), InvalidArgument);
    EXPECT_THROW(right().call_wrongly(comm), InvalidArgument);
    left().barrier(comm);
  });
}

TEST(TwoSharedLibrariesOfOneProgram, SeeOneFailureOfACommunicator) {
  run_on(RankKind::threads, 2, [](Bootstrap& bootstrap) {
    Comm const comm = left().make(bootstrap);
    right().barrier(comm);
    bootstrap.barrier();  // nobody aborts while the other is still on its way out of the call
    std::vector<float> const in(10, 1.0f);
    std::vector<float> out(10);
    auto const call = [&](Part const& part) { part.sum(comm, Algorithm::automatic, in, out); };
    if (comm.rank() == 1) comm.abort("enough");
    std::string const first = right().caught([&] {
      for (;;) call(right());
    });
    EXPECT_EQ(first.rfind("AbortedError of rank 1: ", 0), 0u) << first;
    EXPECT_NE(first.find("enough"), std::string::npos) << first;
    EXPECT_EQ(left().caught([&] { call(left()); }), first);
    EXPECT_EQ(left().caught([&] { comm.check(); }), first);
  });
}

}  // namespace
}  // namespace Koinon::Testing
