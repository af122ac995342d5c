// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Array.hpp>
#include <bootstrap/Koinon_Bootstrap.hpp>
#include <communicator/Koinon_CommunicatorBase.hpp>
#include <communicator/Koinon_CommunicatorState.hpp>
#include <Koinon_CollectivePolicy.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace Koinon {

/// Joins ranks that load and store each other's memory. Made by all ranks together; move-only; destroyed locally.
///
/// The destructor waits for this rank's work and then, up to the timeout, for the peers; it never throws. While an
/// exception unwinds it, it first aborts: the peers get AbortedError that names this rank.
template <class ExecutionSpace>
class Communicator {
  static_assert(is_execution_space_v<ExecutionSpace>,
                "Koinon::Communicator: no backend of this build has this execution space; backends of this build: "
                KOINON_BACKENDS);
  using State = Impl::CommunicatorState<ExecutionSpace>;

 public:
  using execution_space = ExecutionSpace;

  /// Makes a communicator over the ranks of a bootstrap. Collective. Throws MismatchError when ranks disagree,
  /// ResourceError when a step fails on any rank (on all ranks, and nothing stays behind).
  Communicator(ExecutionSpace const& space, Bootstrap& bootstrap, CommunicatorOptions const& options = {})
      : m_state(std::make_unique<State>(space, bootstrap, options)) {
    m_state->set_owner(this);
  }

  /// The same over the ranks of another library's group, an MPI_Comm say (Koinon_Mpi.hpp), which is used during the call
  /// only.
  template <Impl::GroupHandle Group>
  Communicator(ExecutionSpace const& space, Group group, CommunicatorOptions const& options = {})
      : m_state(make_over(space, Impl::BootstrapOf<Group>(group), options)) {
    m_state->set_owner(this);
  }

  Communicator(Communicator&& other) noexcept : m_state(std::move(other.m_state)) {
    if (m_state) m_state->set_owner(this);
  }
  Communicator& operator=(Communicator&& other) noexcept {
    m_state = std::move(other.m_state);
    if (m_state) m_state->set_owner(this);
    return *this;
  }
  ~Communicator() = default;

  [[nodiscard]] int rank() const { return m_state->rank(); }
  [[nodiscard]] int size() const { return m_state->size(); }
  /// Returns the rank among those of this node, and their number.
  [[nodiscard]] int node_rank() const { return m_state->rank(); }
  [[nodiscard]] int node_size() const { return m_state->size(); }
  [[nodiscard]] ExecutionSpace const& space() const { return m_state->space(); }
  /// Returns the largest grid that all ranks agreed on.
  [[nodiscard]] int max_blocks() const { return m_state->facts().max_blocks; }

  /// Makes a communicator of the ranks with equal color, ordered by key, then by rank; none for a negative color.
  /// Collective over all ranks of this one.
  [[nodiscard]] std::optional<Communicator> split(int color, int key) const {
    std::vector<int> const members = m_state->members_of(color, key);
    if (members.empty()) return std::nullopt;
    Impl::ControlBootstrap bootstrap(m_state->control(), members);
    CommunicatorOptions options = m_state->options();
    options.launch_number = 0;
    return Communicator(m_state->space(), bootstrap, options);
  }

  /// Tells what was agreed, used and refused, and why.
  [[nodiscard]] std::string describe() const { return m_state->describe(); }
  /// Throws what went wrong asynchronously (TimeoutError ...); else returns.
  void check() const { m_state->health().check(); }
  /// Ends the communicator: every rank's next wait ends with AbortedError. From any thread.
  void abort(std::string_view why) const noexcept { m_state->health().abort(why); }

  /// Gives the handle that kernels take by value.
  [[nodiscard]] DeviceCommunicator const& device() const { return m_state->device(); }
  /// For Koinon's own front: the state that policies refer to, which moves never change.
  [[nodiscard]] State* state() const { return m_state.get(); }

 private:
  static std::unique_ptr<State> make_over(ExecutionSpace const& space, Bootstrap&& bootstrap,
                                          CommunicatorOptions const& options) {
    return std::make_unique<State>(space, bootstrap, options);
  }

  std::unique_ptr<State> m_state;
};

template <class ExecutionSpace, class... Rest>
Communicator(ExecutionSpace const&, Rest&&...) -> Communicator<ExecutionSpace>;

/// Allocates a zeroed symmetric array, row-major; freed by free_symmetric or with the communicator. Collective: equal
/// extents on all ranks.
template <class T, int Rank, class ExecutionSpace, class... Extents>
[[nodiscard]] Array<T, Rank> symmetric_array(Communicator<ExecutionSpace> const& comm, Extents... extents) {
  static_assert(sizeof...(Extents) == Rank, "Koinon::symmetric_array: one extent for each dimension");
  std::size_t bytes = sizeof(T);
  ((bytes = Impl::checked_product(bytes, static_cast<std::size_t>(extents))), ...);
  return Array<T, Rank>(reinterpret_cast<T*>(comm.state()->allocate_symmetric(bytes, "array")), extents...);
}

/// Frees an array that symmetric_array or symmetric_view gave. Collective, in the same order on all ranks.
template <class ExecutionSpace, ArrayLike A>
void free_symmetric(Communicator<ExecutionSpace> const& comm, A const& array) {
  comm.state()->free_symmetric(as_array(array).pointer);
}

}  // namespace Koinon
