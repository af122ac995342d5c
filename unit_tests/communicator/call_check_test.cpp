// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Koinon_EnvironmentGuard.hpp"
#include <support/Koinon_FaultCalls.hpp>
#include <support/Koinon_RankKinds.hpp>

#include <gtest/gtest.h>

namespace Koinon::Testing {
namespace {

using Policy = CollectivePolicy<HostThread>;

/// Is what a call works on: inputs that must stay, outputs that must stay when the call is refused.
struct Buffers {
  std::vector<float> in = std::vector<float>(6000, 2.0f);
  std::vector<float> out = std::vector<float>(6000, -7.0f);
  std::vector<double> in_double = std::vector<double>(6000, 2.0);
  std::vector<double> out_double = std::vector<double>(6000, -7.0);

  [[nodiscard]] std::span<float const> source(std::size_t n) const { return std::span(in).first(n); }
  [[nodiscard]] std::span<float> result(std::size_t n) { return std::span(out).first(n); }
  void expect_untouched() const {
    EXPECT_EQ(in, Buffers().in);
    EXPECT_EQ(out, Buffers().out);
    EXPECT_EQ(out_double, Buffers().out_double);
  }
};

using Call = std::function<void(Policy const&, Buffers&)>;

/// Is a pair of calls that do not fit together; rank 1 makes the second.
struct Disagreement {
  char const* name;
  Call call;
  Call other;
  std::vector<std::string> texts;  // of both calls
};

void reduce_floats(Policy const& p, Buffers& b, std::size_t n) {
  all_reduce("c", p, b.source(n), b.result(n));
}
void gather_members(Policy const& p, Buffers& b, std::size_t floats, std::size_t doubles) {
  all_gather_multiple("c", p, member(Array<float, 2>(b.in.data(), 2, floats), Array<float, 2>(b.out.data(), 6, floats)),
                      member(Array<double, 2>(b.in_double.data(), 2, doubles),
                             Array<double, 2>(b.out_double.data(), 6, doubles)));
}
void reduce_members(Policy const& p, Buffers& b, std::size_t floats, std::size_t doubles) {
  all_reduce_multiple("c", p, member(b.source(floats), b.result(floats)),
                      member(std::span<double const>(b.in_double).first(doubles), std::span(b.out_double).first(doubles)));
}
Policy with(Policy const& p, Algorithm algorithm) {
  return require(p, Tuning{.algorithm = algorithm});
}

std::vector<Disagreement> disagreements() {
  Call const usual = [](Policy const& p, Buffers& b) { reduce_floats(p, b, 12); };
  return {
      {"operation", usual, [](Policy const& p, Buffers&) { barrier("c", p); }, {"all_reduce(12 float, sum", "barrier"}},
      {"operation_of_the_same_size",
       usual,
       [](Policy const& p, Buffers& b) { reduce("c", p, b.source(12), b.result(12), 0); },
       {"all_reduce(12", "reduce(12"}},
      {"count", usual, [](Policy const& p, Buffers& b) { reduce_floats(p, b, 13); }, {"(12 float", "(13 float"}},
      {"count_across_algorithms",
       usual,
       [](Policy const& p, Buffers& b) { reduce_floats(p, b, 6000); },
       {"(12 float, sum, low_latency", "(6000 float, sum, two_shot"}},
      {"count_of_zero", usual, [](Policy const& p, Buffers& b) { reduce_floats(p, b, 0); }, {"(12 float", "(0 float"}},
      {"type",
       usual,
       [](Policy const& p, Buffers& b) {
         all_reduce("c", p, std::span<double const>(b.in_double).first(12), std::span(b.out_double).first(12));
       },
       {"12 float", "12 double"}},
      {"reducer",
       usual,
       [](Policy const& p, Buffers& b) { all_reduce("c", p, b.source(12), b.result(12), Max{}); },
       {"sum", "max"}},
      {"algorithm",
       [](Policy const& p, Buffers& b) { reduce_floats(with(p, Algorithm::one_shot), b, 5000); },
       [](Policy const& p, Buffers& b) { reduce_floats(with(p, Algorithm::two_shot), b, 5000); },
       {"one_shot", "two_shot"}},
      {"transport",
       [](Policy const& p, Buffers& b) { reduce_floats(with(p, Algorithm::two_shot), b, 5000); },
       [](Policy const& p, Buffers& b) {
         auto const tuning = Tuning{.algorithm = Algorithm::two_shot, .transport = Transport::multimem};
         reduce_floats(require(p, tuning), b, 5000);
       },
       {"peer_load", "multimem"}},
      {"root",
       [](Policy const& p, Buffers& b) { reduce("c", p, b.source(5), b.result(5), 0); },
       [](Policy const& p, Buffers& b) { reduce("c", p, b.source(5), b.result(5), 1); },
       {"root 0", "root 1"}},
      {"counts",
       [](Policy const& p, Buffers& b) {
         std::size_t const mine = p.communicator().rank() == 0 ? 4 : 2;
         reduce_scatter("c", p, b.source(6), b.result(mine), Sum{}, Counts({4, 2, 0}));
       },
       [](Policy const& p, Buffers& b) {
         reduce_scatter("c", p, b.source(6), b.result(3), Sum{}, Counts({3, 3, 0}));
       },
       {"counts 4 2 0", "counts 3 3 0"}},
      {"widths_of_members",
       [](Policy const& p, Buffers& b) { gather_members(p, b, 4, 3); },
       [](Policy const& p, Buffers& b) { gather_members(p, b, 3, 4); },
       {"even counts, rows of 4 float + 3 double", "even counts, rows of 3 float + 4 double"}},
      {"extents_of_members",
       [](Policy const& p, Buffers& b) { reduce_members(p, b, 8, 4); },
       [](Policy const& p, Buffers& b) { reduce_members(p, b, 4, 8); },
       {"sum", "arrays of 8 float + 4 double", "arrays of 4 float + 8 double"}},
      {"direction_of_an_exchange",
       [](Policy const& p, Buffers& b) {
         shards_to_rows("c", p, Array<float const, 2>(b.in.data(), 6, 2), Array<float, 2>(b.out.data(), 2, 6));
       },
       [](Policy const& p, Buffers& b) {
         rows_to_shards("c", p, Array<float const, 2>(b.in.data(), 2, 6), Array<float, 2>(b.out.data(), 6, 2));
       },
       {"shards_to_rows(12 uint32", "rows_to_shards(12 uint32"}},
  };
}

/// Makes the pair of calls; rank 1 the other one. Returns what was thrown.
Caught disagree(Comm const& comm, Disagreement const& d, Buffers& buffers) {
  Policy const policy(comm.space(), comm);
  bool const other = comm.rank() == 1;
  if (comm.rank() == 2 && std::string(d.name) == "counts")
    return caught([&] { reduce_scatter("c", policy, buffers.source(6), buffers.result(0), Sum{}, Counts({4, 2, 0})); });
  return caught([&] { (other ? d.other : d.call)(policy, buffers); });
}

class CallCheck : public OnBothKinds {};
INSTANTIATE_TEST_SUITE_P(Ranks, CallCheck, both_kinds(), kind_name);

TEST_P(CallCheck, NamesBothCallsOnAllRanksAndTouchesNothing) {
  EnvironmentGuard const guard("KOINON_CHECK", "1");
  for (Disagreement const& d : disagreements()) {
    SCOPED_TRACE(d.name);
    run(3, [&](Bootstrap& bootstrap) {
      Comm comm = make_comm(bootstrap);
      reduce_ones(comm, "before", ways[0]);
      bootstrap.barrier();
      Buffers buffers;
      Caught const found = disagree(comm, d, buffers);
      expect_error(found, "MismatchError", "launch 2", "rank 1 called ");
      EXPECT_TRUE(found.says("rank 0 called ") || found.says("rank 2 called ")) << found.message;
      for (std::string const& text : d.texts) EXPECT_TRUE(found.says(text)) << d.name << ": " << found.message;
      buffers.expect_untouched();
      expect_stays_failed(comm, found);
    });
  }
}

TEST_P(CallCheck, LetsCallsThatAgreePass) {
  EnvironmentGuard const guard("KOINON_CHECK", "1");
  run(3, [](Bootstrap& bootstrap) {
    Comm const comm = make_comm(bootstrap);
    Policy const policy(comm.space(), comm);
    for (int i = 0; i < 150; ++i) {  // longer than the ring of the calls that are kept
      reduce_ones(comm, "labels may differ " + std::to_string(bootstrap.rank()), ways[static_cast<std::size_t>(i) % 3]);
      barrier("b", policy);
    }
    Buffers buffers;
    int const rank = bootstrap.rank();
    reduce_scatter("c", policy, buffers.source(6),
                   buffers.result(rank == 0   ? 4
                                  : rank == 1 ? 2
                                              : 0),
                   Sum{}, Counts({4, 2, 0}));
    // What need not be equal: out elsewhere than on the root, and where arrays lie.
    reduce("r", policy, buffers.source(8), rank == 1 ? buffers.result(8) : std::span<float>(), 1);
    comm.check();
  });
}

TEST_P(CallCheck, WithoutItADisagreementOfCountsEndsAtTheTimeoutAndOtherMemoryStays) {
  run(2, [](Bootstrap& bootstrap) {
    Comm comm = make_comm(bootstrap, with_timeout(milliseconds(200)));
    Buffers buffers;
    Policy const policy(comm.space(), comm);
    auto const kept = symmetric_array<float, 1>(comm, 1000);
    for (std::size_t i = 0; i < 1000; ++i) kept(i) = 3.0f;
    // Twice, since one side may find all that its first call needs.
    std::size_t const count = bootstrap.rank() == 0 ? 12 : 5000;
    Caught const found = caught([&] {
      for (int i = 0; i < 3; ++i) reduce_floats(policy, buffers, count);
    });
    EXPECT_EQ(found.type, "TimeoutError") << found.message;
    EXPECT_EQ(buffers.in, Buffers().in);
    for (std::size_t i = count; i < 6000; ++i) ASSERT_EQ(buffers.out[i], -7.0f) << "beyond what was given";
    for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(kept(i), 3.0f);
    expect_stays_failed(comm, found);
  });
}

TEST_P(CallCheck, WithoutItADisagreementOfOperationsEndsAtTheTimeout) {
  run(2, [](Bootstrap& bootstrap) {
    Comm comm = make_comm(bootstrap, with_timeout(milliseconds(200)));
    Policy const policy(comm.space(), comm);
    Caught const found = caught([&] {
      for (int i = 0; i < 3; ++i) {
        if (bootstrap.rank() == 0) {
          barrier("b", policy);
        } else {
          reduce_ones(comm, "a", ways[2]);
        }
      }
    });
    EXPECT_EQ(found.type, "TimeoutError") << found.message;
    expect_stays_failed(comm, found);
  });
}

}  // namespace
}  // namespace Koinon::Testing
