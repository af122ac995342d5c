// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CoreWithoutMpi.hpp>
#include <Koinon_Perf_Case.hpp>
#include <Koinon_Perf_DeviceQueue.hpp>
#include <Koinon_Perf_Exercise.hpp>
#include <Koinon_Perf_Neighbour.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace Koinon::Perf {

class GpuRank;

/// One rank's communicator, and what can be measured with it.
class Subject {
 public:
  virtual ~Subject() = default;
  /// Makes the arrays of a case. Collective. @pre the subject outlives the exercise
  virtual std::unique_ptr<Exercise> make_exercise(Case const& what) = 0;
};

/// Where one rank's collectives run: on the host or on a GPU. Outlives subjects and rivals.
class Place {
 public:
  virtual ~Place() = default;
  /// Says what is there, for the head of the report.
  virtual std::vector<std::pair<std::string, std::string>> describe() const = 0;
  /// Makes a communicator with memory for exercises of these cases, all at once. Collective.
  virtual std::unique_ptr<Subject> make_subject(std::vector<Case> const& cases) = 0;
  /// Returns the queue that calls are enqueued on; null: a call is done when it returns.
  virtual DeviceQueue* queue() { return nullptr; }
  /// Returns what fills memory beside the ranks; null: nothing, or another rank has it.
  Neighbour* neighbour() const { return m_neighbour.get(); }
  void set_neighbour(std::unique_ptr<Neighbour> neighbour) { m_neighbour = std::move(neighbour); }
  /// Returns the GPU, for rivals; null: the host.
  virtual GpuRank* gpu() { return nullptr; }

 private:
  std::unique_ptr<Neighbour> m_neighbour;
};

}  // namespace Koinon::Perf
