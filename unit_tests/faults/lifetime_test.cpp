// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <support/Koinon_FaultCalls.hpp>
#include <support/Koinon_RankKinds.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace Koinon::Testing {
namespace {

static_assert(!std::is_copy_constructible_v<Comm> && !std::is_copy_assignable_v<Comm>);
static_assert(std::is_nothrow_move_constructible_v<Comm> && std::is_nothrow_move_assignable_v<Comm>);
static_assert(std::is_nothrow_destructible_v<Comm>);

class Lifetime : public OnBothKinds {};
INSTANTIATE_TEST_SUITE_P(Ranks, Lifetime, both_kinds(), kind_name);

TEST_P(Lifetime, PoliciesAndArraysWorkAfterTheCommunicatorMoved) {
  run(3, [](Bootstrap& bootstrap) {
    Comm first = make_comm(bootstrap);
    CollectivePolicy<HostThread> const policy(first.space(), first);
    auto const array = symmetric_array<float, 1>(first, 100);
    DeviceCommunicator const device = first.device();
    auto const reduce_array = [&] {
      for (std::size_t i = 0; i < 100; ++i) array(i) = static_cast<float>(bootstrap.rank());
      all_reduce("x", policy, array, array);
      EXPECT_EQ(array(99), 3.0f);
    };
    reduce_array();
    Comm second = std::move(first);
    reduce_array();
    EXPECT_EQ(&policy.communicator(), &second);
    EXPECT_EQ(second.device().m_base, device.m_base);
    std::vector<Comm> many;
    many.push_back(std::move(second));
    for (int i = 0; i < 5; ++i) many.push_back(make_comm(bootstrap));  // grows: moves all
    EXPECT_EQ(&policy.communicator(), &many.front());
    reduce_array();
    for (Comm const& comm : many) reduce_ones(comm, "x", ways[1]);
    free_symmetric(many.front(), array);
  });
}

TEST_P(Lifetime, AMovedFromCommunicatorMayBeAssignedAndDestroyed) {
  run(2, [](Bootstrap& bootstrap) {
    Comm comm = make_comm(bootstrap);
    { Comm const gone = std::move(comm); }
    comm = make_comm(bootstrap);
    reduce_ones(comm, "x", ways[0]);
    comm = make_comm(bootstrap);  // the one before ends here, on all ranks
    reduce_ones(comm, "x", ways[1]);
    Comm& same = comm;
    comm = std::move(same);
    reduce_ones(comm, "x", ways[2]);
    Comm const never_used = std::move(comm);
  });
}

TEST_P(Lifetime, ChildrenOutliveTheirParent) {
  run(3, [](Bootstrap& bootstrap) {
    std::optional<Comm> parent = make_comm(bootstrap);
    std::optional<Comm> child = parent->split(0, -bootstrap.rank());
    parent.reset();
    EXPECT_EQ(child->rank(), 2 - bootstrap.rank());
    for (Way const& way : ways) reduce_ones(*child, "x", way);
  });
}

/// Makes and uses a communicator while an exception unwinds the stack.
struct MakesOneInItsDestructor {
  Bootstrap& bootstrap;
  ~MakesOneInItsDestructor() {
    Comm const comm = make_comm(bootstrap);
    reduce_ones(comm, "within a destructor", ways[1]);
    if (bootstrap.rank() == 1) std::this_thread::sleep_for(milliseconds(20));
    reduce_ones(comm, "within a destructor", ways[0]);
  }
};

TEST_P(Lifetime, ACommunicatorMadeDuringUnwindingIsNotTakenForAnUnwoundOne) {
  run(2, [](Bootstrap& bootstrap) {
    struct Unwound {};
    try {
      MakesOneInItsDestructor const maker{bootstrap};
      if (bootstrap.rank() == 0) throw Unwound();
    } catch (Unwound const&) {
    }
  });
}

TEST_P(Lifetime, ACaughtExceptionLeavesTheCommunicatorAlone) {
  run(2, [](Bootstrap& bootstrap) {
    Comm const comm = make_comm(bootstrap);
    CollectivePolicy<HostThread> const policy(comm.space(), comm);
    float out[4] = {};
    // Refused on rank 0 only; nothing was launched, and the corrected call meets the waiting peer.
    if (bootstrap.rank() == 0) {
      expect_error(caught([&] { all_reduce("x", policy, std::span<float const>(), std::span<float>(out)); }),
                   "InvalidArgument", "all_reduce", "[x]", "rank 0");
      expect_error(caught([&] {
                     all_reduce("x", policy, std::span<float const>(static_cast<float const*>(nullptr), 4),
                                std::span<float>(out));
                   }),
                   "InvalidArgument", "`in` is null");
    }
    float const in[4] = {1, 2, 3, 4};
    all_reduce("x", policy, std::span<float const>(in), std::span<float>(out));
    EXPECT_EQ(out[3], 8.0f);
  });
}

TEST_P(Lifetime, AnEarlyDestructorWaitsForASlowPeersLastCall) {
  run(2, [](Bootstrap& bootstrap) {
    for (int i = 0; i < 5; ++i) {
      Comm const comm = make_comm(bootstrap);
      if (bootstrap.rank() == 1) std::this_thread::sleep_for(milliseconds(10));
      std::vector<float> data(5000, 1.0f);
      CollectivePolicy<HostThread> const policy(comm.space(), comm);
      broadcast("x", policy, std::span(data), 0);  // rank 0 need not wait for rank 1
    }
  });
}

}  // namespace
}  // namespace Koinon::Testing
