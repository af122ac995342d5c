// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Instance.hpp>
#include <Koinon_Perf_MakeExercise.hpp>
#include <Koinon_Perf_Memory.hpp>
#include <Koinon_Perf_Place.hpp>

#include <functional>

namespace Koinon::Perf {

/// Measures on the host, with the instance of this build.
class HostPlace final : public Place {
 public:
  using MakeCommunicator = std::function<PerfCommunicator(CommunicatorOptions const&)>;

  HostPlace(int ranks, int threads, MakeCommunicator make)
      : m_ranks(ranks), m_threads(threads), m_make(std::move(make)) {}

  std::vector<std::pair<std::string, std::string>> describe() const override {
    return {{"instance", instance_name(m_threads)}};
  }

  std::unique_ptr<Subject> make_subject(std::vector<Case> const& cases) override {
    CommunicatorOptions options;
    if (auto const bytes = symmetric_bytes_of(cases, m_ranks); bytes > 0) options.symmetric_bytes = bytes;
    return std::make_unique<HostSubject>(m_make(options));
  }

 private:
  class HostSubject final : public Subject {
   public:
    explicit HostSubject(PerfCommunicator comm) : m_comm(std::move(comm)) {}
    std::unique_ptr<Exercise> make_exercise(Case const& what) override { return Perf::make_exercise(what, m_comm); }

   private:
    PerfCommunicator m_comm;
  };

  int m_ranks;
  int m_threads;
  MakeCommunicator m_make;
};

}  // namespace Koinon::Perf
