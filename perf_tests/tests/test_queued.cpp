// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_MeasureQueued.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

using namespace Koinon::Perf;

namespace {

/// Everything that happens, one letter each: S spoil, R rewrite, c call, W checked, r run, | barrier, ~ work ended.
struct Log {
  std::string text;
  std::vector<std::size_t> rewritten, checked;
};

class OneRank final : public RankGroup {
 public:
  explicit OneRank(Log& log) : m_log(log) {}
  int rank() const override { return 0; }
  int size() const override { return 2; }
  bool is_processes() const override { return false; }
  void barrier() override { m_log.text += '|'; }
  double maximum(double value) override { return value; }
  std::uint64_t sum(std::uint64_t value) override { return value; }
  void all_gather(std::span<std::byte const>, std::span<std::byte>) override {}

 private:
  Log& m_log;
};

class NotingExercise final : public Exercise {
 public:
  explicit NotingExercise(Log& log) : m_log(log) {}
  Arrays arrays() const override { return {}; }
  Call koinon_call() override {
    return [this] { m_log.text += 'c'; };
  }
  std::string koinon_refusal() override { return {}; }
  void rewrite(std::size_t iteration) override {
    m_log.text += 'R';
    m_log.rewritten.push_back(iteration);
  }
  void spoil() override { m_log.text += 'S'; }
  std::uint64_t count_wrong(std::size_t iteration) const override {
    m_log.text += 'W';
    m_log.checked.push_back(iteration);
    return 1;
  }
  double run(Call const&, std::size_t, std::size_t) override { return 0; }
  double run_rewriting(std::size_t, std::size_t) override { return 0; }

 private:
  Log& m_log;
};

/// Takes 30 us by the device's clock and 3 us of the host for whatever it is given.
class NotingQueue final : public DeviceQueue {
 public:
  explicit NotingQueue(Log& log) : m_log(log) {}
  std::unique_ptr<DeviceWork> prepare(std::function<void()> enqueue, bool as_graph) override {
    m_graphs += as_graph;
    return std::make_unique<Work>(m_log, std::move(enqueue));
  }
  int graphs() const { return m_graphs; }

 private:
  class Work final : public DeviceWork {
   public:
    Work(Log& log, std::function<void()> enqueue) : m_log(log), m_enqueue(std::move(enqueue)) {}
    ~Work() override { m_log.text += '~'; }
    DeviceTimes run() override {
      m_log.text += 'r';
      m_enqueue();
      return {30e-6, 3e-6};
    }

   private:
    Log& m_log;
    std::function<void()> m_enqueue;
  };
  Log& m_log;
  int m_graphs = 0;
};

class NoSubject final : public Subject {
  std::unique_ptr<Exercise> make_exercise(Case const&) override { return nullptr; }
};

/// Measures batches of 3 iterations, one rehearsal and one repetition.
struct Measured {
  explicit Measured(std::vector<bool> repeatable, std::string const& refusal = {}) {
    OneRank ranks(log);
    NotingQueue queue(log);
    NoSubject subject;
    std::vector<std::unique_ptr<Rival>> rivals;
    Bench const bench{subject, &queue, ranks, rivals, {1, 3}, true, true};
    std::vector<std::unique_ptr<Exercise>> exercises;
    std::vector<std::size_t> order;
    std::vector<Side> sides(1);
    sides[0].refusal = refusal;
    for (std::size_t i = 0; i < repeatable.size(); ++i) {
      exercises.push_back(std::make_unique<NotingExercise>(log));
      sides[0].calls.push_back(exercises.back()->koinon_call());
      order.push_back(i);
    }
    measure_queued(bench, {exercises, order, std::move(repeatable)}, sides, result);
    graphs = queue.graphs();
  }
  Log log;
  Result result;
  int graphs = 0;
};

}  // namespace

TEST(PerfQueued, RewritesBeforeEachBatchAndChecksBehindIt) {
  Measured const measured({true});
  EXPECT_NE(measured.log.text.find("SRrcccW"), std::string::npos) << measured.log.text;
  EXPECT_EQ(std::count(measured.log.text.begin(), measured.log.text.end(), 'W'), 2) << "rehearsal and repetition";
  EXPECT_EQ(measured.log.checked, (std::vector<std::size_t>{0, 1})) << "each batch has other values";
  EXPECT_EQ(measured.result.wrong, 2u);
}

TEST(PerfQueued, DoesNotCheckWhatManyCallsChange) {
  Measured const measured({false});
  EXPECT_TRUE(measured.log.checked.empty());
  EXPECT_EQ(measured.result.wrong, 0u);
}

TEST(PerfQueued, TakesTimesOverTheCallsOfABatch) {
  Measured const measured({true, true});
  EXPECT_NEAR(measured.result.time.median, 10, 1e-9) << "an iteration is both calls";
  EXPECT_NEAR(measured.result.host, 0.5, 1e-9) << "the host's time is of one call";
  EXPECT_NEAR(measured.result.rewrite, 30, 1e-9) << "all inputs once";
  EXPECT_TRUE(measured.result.graph);
  EXPECT_EQ(measured.result.device, Device::cuda);
  EXPECT_EQ(measured.graphs, 2);
}

TEST(PerfQueued, EndsAllWorkBeforeTheRanksGoOn) {
  Measured const measured({true});
  auto const text = measured.log.text;
  EXPECT_EQ(text.substr(text.size() - 3), "~~|") << text;
}

TEST(PerfQueued, LeavesOutASideThatRefuses) {
  Measured const measured({true}, "no such thing");
  EXPECT_EQ(measured.result.refusal, "no such thing");
  EXPECT_EQ(measured.log.text.find('c'), std::string::npos) << measured.log.text;
}
