// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_AllGather.hpp>
#include <Koinon_AllGatherColumns.hpp>
#include <Koinon_AllGatherMultiple.hpp>
#include <Koinon_AllReduce.hpp>
#include <Koinon_AllReduceMultiple.hpp>
#include <Koinon_Broadcast.hpp>
#include <support/Koinon_Caught.hpp>
#include <support/Koinon_HipSpace.hpp>
#include <support/Koinon_RankRunner.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

// Kernels of backends/hip, through whatever stands for AMD GPUs here: ranks are threads, on two devices where there are.
namespace Koinon::Testing {
namespace {

using Comm = Communicator<HeldHipStream>;

/// Is a rank: its communicator, and its private memory as elements.
class Rank {
 public:
  explicit Rank(Bootstrap& bootstrap, CommunicatorOptions const& options = {})
      : m_memory(make_space_memory(m_space)), m_comm(m_space, bootstrap, options) {}
  [[nodiscard]] Comm const& comm() const { return m_comm; }
  [[nodiscard]] auto policy() const { return CollectivePolicy(m_space, m_comm); }
  [[nodiscard]] SpaceMemory const& memory() const { return *m_memory; }

  template <class T>
  [[nodiscard]] std::span<T> array(std::size_t begin, std::size_t count) const {
    return {reinterpret_cast<T*>(m_memory->private_memory()) + begin, count};
  }
  template <class T>
  void fill(std::span<T> array, std::vector<T> const& values) const {
    m_memory->upload(reinterpret_cast<std::byte*>(array.data()), reinterpret_cast<std::byte const*>(values.data()),
                     array.size_bytes());
  }
  template <class T>
  [[nodiscard]] std::vector<T> read(std::span<T> array) const {
    std::vector<T> values(array.size());
    m_memory->download(reinterpret_cast<std::byte*>(values.data()), reinterpret_cast<std::byte const*>(array.data()),
                       array.size_bytes());
    return values;
  }

 private:
  HeldHipStream m_space;
  std::unique_ptr<SpaceMemory const> m_memory;
  Comm m_comm;
};

/// Returns numbers whose sums over ranks are exact, others for each rank and turn.
std::vector<float> numbers_of(int rank, std::size_t count, int turn) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>((i * 7 + static_cast<std::size_t>(rank) * 3 + static_cast<std::size_t>(turn)) % 101);
  }
  return values;
}
std::vector<float> sums_over(int ranks, std::size_t count, int turn) {
  std::vector<float> sums(count);
  for (int p = 0; p < ranks; ++p) {
    std::vector<float> const values = numbers_of(p, count, turn);
    for (std::size_t i = 0; i < count; ++i) sums[i] += values[i];
  }
  return sums;
}

class HipKernels : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, HipKernels, ::testing::Values(1, 2, 3), [](auto const& i) { return ranks_name(i.param); });

TEST_P(HipKernels, OfAllReduceGiveEveryRankTheSumByEveryAlgorithmThatTheTableTakes) {
  run_ranks(GetParam(), [](Bootstrap& bootstrap) {
    Rank const rank(bootstrap);
    for (std::size_t const count : {std::size_t{1}, std::size_t{1001}, std::size_t{20'000}, std::size_t{90'003}}) {
      std::span<float> const in = rank.array<float>(0, count);
      std::span<float> const out = rank.array<float>(200'001, count);  // at an odd word
      for (int turn = 0; turn < 2; ++turn) {
        rank.fill(in, numbers_of(bootstrap.rank(), count, turn));
        all_reduce(rank.policy(), in, out);
        ASSERT_EQ(rank.read(out), sums_over(bootstrap.size(), count, turn)) << count << " elements, turn " << turn;
      }
    }
    rank.comm().check();
    bootstrap.barrier();
  });
}

TEST_P(HipKernels, OfAllGatherMoveEveryBit) {
  run_ranks(GetParam(), [](Bootstrap& bootstrap) {
    Rank const rank(bootstrap);
    for (std::size_t const count : {std::size_t{3}, std::size_t{5'000}, std::size_t{30'001}}) {
      std::span<std::uint32_t> const in = rank.array<std::uint32_t>(0, count);
      std::span<std::uint32_t> const out =
          rank.array<std::uint32_t>(100'000, count * static_cast<std::size_t>(bootstrap.size()));
      std::vector<std::uint32_t> expected;
      std::vector<std::uint32_t> mine;
      for (int p = 0; p < bootstrap.size(); ++p) {
        for (std::size_t i = 0; i < count; ++i) {
          // All bits set is what an empty sentinel has.
          auto const value = i % 5 == 0 ? ~0u : static_cast<std::uint32_t>(i * 2654435761u) + static_cast<std::uint32_t>(p);
          expected.push_back(value);
          if (p == bootstrap.rank()) mine.push_back(value);
        }
      }
      rank.fill(in, mine);
      all_gather(rank.policy(), in, out);
      ASSERT_EQ(rank.read(out), expected) << count << " elements";
    }
    bootstrap.barrier();
  });
}

TEST_P(HipKernels, OfSeveralArraysDoWhatOneCallOfEachWould) {
  run_ranks(GetParam(), [](Bootstrap& bootstrap) {
    Rank const rank(bootstrap);
    auto const ranks = static_cast<std::size_t>(bootstrap.size());
    for (std::size_t const count : {std::size_t{5}, std::size_t{9'001}}) {
      std::span<float> const in = rank.array<float>(0, count);
      std::span<float> const more = rank.array<float>(100'001, 2 * count);
      std::span<float> const sums = rank.array<float>(200'000, count);
      std::span<float> const more_sums = rank.array<float>(300'000, 2 * count);
      std::span<float> const rows = rank.array<float>(400'000, ranks * count);
      std::span<float> const more_rows = rank.array<float>(500'003, ranks * 2 * count);
      rank.fill(in, numbers_of(bootstrap.rank(), count, 0));
      rank.fill(more, numbers_of(bootstrap.rank(), 2 * count, 1));
      all_reduce_multiple(rank.policy(), member(in, sums), member(more, more_sums));
      EXPECT_EQ(rank.read(sums), sums_over(bootstrap.size(), count, 0)) << count << " elements";
      EXPECT_EQ(rank.read(more_sums), sums_over(bootstrap.size(), 2 * count, 1)) << count << " elements";

      // As many as kernels of these GPUs have room for: rows of one element, and of two.
      Array<float, 2> const pairs(more.data(), count, 2);
      Array<float, 2> const all_pairs(more_rows.data(), ranks * count, 2);
      std::span<float> const own = rank.array<float>(600'000, 6 * count);
      std::span<float> const others = rank.array<float>(700'000, 6 * ranks * count);
      std::vector<float> own_values;
      std::vector<float> expected;
      std::vector<float> expected_pairs;
      std::vector<float> expected_of_six;
      for (int p = 0; p < bootstrap.size(); ++p) {
        std::vector<float> const values = numbers_of(p, count, 0);
        std::vector<float> const pair_values = numbers_of(p, 2 * count, 1);
        expected.insert(expected.end(), values.begin(), values.end());
        expected_pairs.insert(expected_pairs.end(), pair_values.begin(), pair_values.end());
      }
      for (std::size_t m = 0; m < 6; ++m) {
        for (int p = 0; p < bootstrap.size(); ++p) {
          std::vector<float> const values = numbers_of(p, count, static_cast<int>(m) + 2);
          expected_of_six.insert(expected_of_six.end(), values.begin(), values.end());
          if (p == bootstrap.rank()) own_values.insert(own_values.end(), values.begin(), values.end());
        }
      }
      rank.fill(own, own_values);
      auto const one_of_six = [&](std::size_t m) {
        return member(own.subspan(m * count, count), others.subspan(m * ranks * count, ranks * count));
      };
      all_gather_multiple(rank.policy(), member(in, rows), member(pairs, all_pairs), one_of_six(0), one_of_six(1),
                          one_of_six(2), one_of_six(3), one_of_six(4), one_of_six(5));
      EXPECT_EQ(rank.read(rows), expected) << count << " elements";
      EXPECT_EQ(rank.read(more_rows), expected_pairs) << count << " elements";
      EXPECT_EQ(rank.read(others), expected_of_six) << count << " elements";
    }
    rank.comm().check();
    bootstrap.barrier();
  });
}

TEST_P(HipKernels, ThatWereCapturedGiveTheSumsOfNewInputsEachTime) {
  run_ranks(GetParam(), [](Bootstrap& bootstrap) {
    Rank const rank(bootstrap);
    constexpr std::size_t count = 3'001;
    std::span<float> const array = rank.array<float>(0, count);
    auto const call = [&] { all_reduce(rank.policy(), array, array); };
    auto const recording = rank.memory().record(call);
    bootstrap.barrier();  // no capture ends while a kernel waits
    for (int turn = 0; turn < 12; ++turn) {
      rank.fill(array, numbers_of(bootstrap.rank(), count, turn));
      if (turn % 4 == 3) {
        call();
      } else {
        recording->replay();
      }
      ASSERT_EQ(rank.read(array), sums_over(bootstrap.size(), count, turn)) << "turn " << turn;
    }
    bootstrap.barrier();
  });
}

TEST(HipKernelsOverMulticast, AreRefusedWithTheBackendsReasonAndPeersTakenWhereTheyAreOnlyPreferred) {
  run_ranks(2, [](Bootstrap& bootstrap) {
    Rank const rank(bootstrap);
    std::span<float> const in = rank.array<float>(0, 8);
    std::span<float> const out = rank.array<float>(100, 8);
    std::span<float> const gathered = rank.array<float>(200, 16);
    auto const required = require(rank.policy(), Tuning{.transport = Transport::multimem});
    Array<float, 2> const columns(in.data(), 4, 2);
    Array<float, 2> const gathered_columns(gathered.data(), 4, 4);
    for (Answer const& answer :
         {can_run<AllReduce>(required, in, out), can_run<AllGather>(required, in, gathered),
          can_run<Broadcast>(required, in, 0), can_run<AllGatherColumns>(required, columns, gathered_columns)}) {
      EXPECT_NE(answer.reason().find("AMD GPUs have no multicast memory"), std::string::npos) << answer.reason();
    }
    EXPECT_THROW(all_gather(required, in, gathered), UnsupportedError);

    rank.fill(in, numbers_of(bootstrap.rank(), in.size(), 0));
    all_reduce(prefer(rank.policy(), Tuning{.transport = Transport::multimem}), in, out);
    EXPECT_EQ(rank.read(out), sums_over(bootstrap.size(), out.size(), 0));
    bootstrap.barrier();
  });
}

TEST(HipKernelsThatWait, EndByTheDevicesClockAndNameTheRankThatIsMissing) {
  run_ranks(2, [](Bootstrap& bootstrap) {
    using Clock = std::chrono::steady_clock;
    Rank const rank(bootstrap, {.timeout = std::chrono::milliseconds(500)});
    std::span<float> const array = rank.array<float>(0, 100);
    rank.fill(array, std::vector<float>(100));
    bootstrap.barrier();
    if (bootstrap.rank() == 0) {
      auto const before = Clock::now();
      all_reduce("grad", rank.policy(), array, array);
      (void)rank.read(array);
      EXPECT_GE(Clock::now() - before, std::chrono::milliseconds(490));
      EXPECT_LT(Clock::now() - before, std::chrono::seconds(20));
      expect_missing(caught([&] { rank.comm().check(); }), {1});
    }
    bootstrap.barrier();
  });
}

}  // namespace
}  // namespace Koinon::Testing
