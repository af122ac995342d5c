// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace Koinon::Testing {

inline thread_local int this_rank = 0;  // whose calls this thread's are

/// Is what fakes of a vendor's library have in common: they count calls, make one of them fail, and remember which of
/// the library's rules were broken. Zero of Result is success.
template <class Result>
class FakeRecord {
 public:
  FakeRecord(FakeRecord const&) = delete;
  FakeRecord& operator=(FakeRecord const&) = delete;

  /// Says which rank this thread's calls are of.
  static void be_rank(int rank) { this_rank = rank; }

  /// From now on the rank's calls of that name (of any, if empty) are counted that make or ask something; number `nth`
  /// (from 0) fails.
  void fail(int rank, int nth, Result result, std::string name = "") {
    std::lock_guard const lock(m_mutex);
    m_fail_name = std::move(name);
    m_fail_rank = rank;
    m_fail_in = nth;
    m_fail_with = result;
    m_failed_call.clear();
  }
  void stop_failing() {
    std::lock_guard const lock(m_mutex);
    m_fail_rank = -1;
  }
  /// Returns the name of the call that was made to fail; empty: the rank made fewer calls.
  [[nodiscard]] std::string failed_call() const {
    std::lock_guard const lock(m_mutex);
    return m_failed_call;
  }
  /// Makes every call of that name fail, on all ranks.
  void always_fail(std::string const& name, Result result) {
    std::lock_guard const lock(m_mutex);
    m_always[name] = result;
  }

  [[nodiscard]] std::vector<std::string> violations() const {
    std::lock_guard const lock(m_mutex);
    return m_violations;
  }
  /// Returns how often functions were called whose name begins so.
  [[nodiscard]] int calls(std::string const& prefix) const {
    std::lock_guard const lock(m_mutex);
    int count = 0;
    for (auto const& [name, calls] : m_calls) count += name.starts_with(prefix) ? calls : 0;
    return count;
  }

 protected:
  FakeRecord() = default;
  ~FakeRecord() = default;

  /// Begins a call; what it returns, if it is no success, is the call's result. @pre the lock is held
  Result enter(char const* name, bool may_fail) {
    ++m_calls[name];
    if (auto const found = m_always.find(name); found != m_always.end()) return found->second;
    if (!may_fail || this_rank != m_fail_rank || (!m_fail_name.empty() && m_fail_name != name)) return Result{};
    if (m_fail_in-- != 0) return Result{};
    m_failed_call = name;
    return m_fail_with;
  }
  /// Ends a call that broke a rule. @pre the lock is held
  Result refuse(std::string const& why, Result result) {
    m_violations.push_back("rank " + std::to_string(this_rank) + ": " + why);
    return result;
  }
  void count(char const* name) { ++m_calls[name]; }

  mutable std::mutex m_mutex;

 private:
  std::vector<std::string> m_violations;
  std::map<std::string, int> m_calls;
  std::map<std::string, Result> m_always;
  int m_fail_rank = -1;
  int m_fail_in = -1;
  Result m_fail_with{};
  std::string m_fail_name;
  std::string m_failed_call;
};

}  // namespace Koinon::Testing
