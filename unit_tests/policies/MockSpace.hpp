// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CollectivePolicy.hpp>

/// Stands in for what core and a backend define: two spaces, a movable communicator, the state behind it.
namespace Mock {

struct DefaultSpace {
  int stream = 0;
};
struct OtherSpace {
  int stream = 0;
};
struct RowlessSpace {};
struct Row {};

}  // namespace Mock

namespace Koinon {

template <>
inline constexpr bool is_execution_space_v<Mock::DefaultSpace> = true;
template <>
inline constexpr bool is_execution_space_v<Mock::OtherSpace> = true;
template <>
inline constexpr bool is_execution_space_v<Mock::RowlessSpace> = true;

template <>
struct DefaultExecutionSpace<void> {
  using type = Mock::DefaultSpace;
};

template <>
struct ExecutionSpaceTraits<Mock::DefaultSpace> {
  using row_type = Mock::Row;
};
template <>
struct ExecutionSpaceTraits<Mock::OtherSpace> {
  using row_type = Mock::Row;
};

namespace Impl {

template <class ExecutionSpace>
class CommunicatorState {
 public:
  Communicator<ExecutionSpace>& communicator() { return *owner; }
  Communicator<ExecutionSpace>* owner = nullptr;
};

}  // namespace Impl

template <class ExecutionSpace>
class Communicator {
 public:
  explicit Communicator(ExecutionSpace const& space, Impl::CommunicatorState<ExecutionSpace>& state)
      : m_space(space), m_state(&state) {
    m_state->owner = this;
  }
  Communicator(Communicator&& other) noexcept : m_space(other.m_space), m_state(other.m_state) {
    m_state->owner = this;
  }

  ExecutionSpace const& space() const { return m_space; }
  Impl::CommunicatorState<ExecutionSpace>* state() const { return m_state; }

 private:
  ExecutionSpace m_space;
  Impl::CommunicatorState<ExecutionSpace>* m_state;
};

}  // namespace Koinon
