// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bootstrap/Koinon_Bootstrap.hpp>
#include <communicator/Koinon_CommunicatorOptions.hpp>
#include <communicator/Koinon_ControlPlane.hpp>
#include <communicator/Koinon_Environment.hpp>
#include <communicator/Koinon_Health.hpp>
#include <communicator/Koinon_Log.hpp>
#include <communicator/Koinon_SelectionCache.hpp>
#include <communicator/Koinon_SymmetricHeap.hpp>
#include <Koinon_Facts.hpp>
#include <Koinon_TuningTable.hpp>
#include <node/Koinon_Identity.hpp>
#include <protocol/Koinon_DeviceCommunicator.hpp>
#include <protocol/Koinon_PullRounds.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace Koinon::Impl {

/// Is what a backend says of itself while a communicator is made; equal on all ranks or brought to one value by a vote.
struct BackendFacts {
  Facts facts;                          // machine part: backend, architecture, capabilities, limits
  std::size_t default_staging_bytes = 0;
  std::size_t default_symmetric_bytes = 0;
  std::size_t default_zero_copy_bytes = 0;
  std::size_t round_bytes = 0;          // staged at a time by one rank; fewer if the staging is smaller
  std::span<TuningEntry const> tunings; // built in
  std::uint64_t instance_key = 0;       // equal for two ranks of a process that share an instance; 0: may be shared
  std::uint64_t device_key = 0;         // equal for ranks that launch on one device, whose room they share; 0: no limit
  std::string device;                   // for describe()
  std::string multicast;                // for describe(): how multicast is done here, or why not
};

/// Is the memory that only this rank's launches use; where kernels run, theirs. See DeviceCommunicator.
struct LaunchMemory {
  LaunchNumber* numbers = nullptr;   // [max_blocks], all the number that the communicator starts after
  LaunchNumber* known = nullptr;     // [max_blocks], zeroed
  std::uint64_t* scratch = nullptr;  // [max_blocks][4 * ranks]
};

/// Is a communicator without its execution space: everything that is the same for every backend.
///
/// It lives on the heap and never moves; policies, device handles and arrays refer to it.
class KOINON_EXPORT CommunicatorBase {
 public:
  CommunicatorBase(Bootstrap& bootstrap, CommunicatorOptions const& options, BackendFacts backend);
  CommunicatorBase(CommunicatorBase const&) = delete;
  CommunicatorBase& operator=(CommunicatorBase const&) = delete;
  virtual ~CommunicatorBase();

  [[nodiscard]] int rank() const { return m_rank; }
  [[nodiscard]] int size() const { return m_size; }
  [[nodiscard]] Health& health() { return *m_health; }
  [[nodiscard]] ControlPlane& control() { return *m_control; }
  [[nodiscard]] Facts const& facts() const { return m_backend.facts; }
  [[nodiscard]] TuningTable const& tunings() const { return m_tunings; }
  [[nodiscard]] Environment const& environment() const { return m_environment; }
  [[nodiscard]] CommunicatorOptions const& options() const { return m_options; }
  [[nodiscard]] std::vector<Identity> const& identities() const { return m_identities; }
  /// Returns what the backend said of itself; what it learns while it maps memory, it may add until the communicator is
  /// made. Equal on all ranks where calls depend on it.
  [[nodiscard]] BackendFacts& backend_facts() { return m_backend; }
  [[nodiscard]] DeviceCommunicator& device() { return m_device; }
  [[nodiscard]] DeviceCommunicator const& device() const { return m_device; }
  [[nodiscard]] std::size_t round_bytes() const { return m_backend.round_bytes; }
  [[nodiscard]] SelectionCache& selections() { return m_selections; }
  [[nodiscard]] std::size_t staging_bytes() const { return *m_options.staging_bytes; }
  [[nodiscard]] std::size_t symmetric_bytes() const { return *m_options.symmetric_bytes; }

  /// Throws if no call may begin. Two loads.
  void require_good() {
    if (!m_health->good()) [[unlikely]] m_health->raise();
  }
  /// Returns where a peer finds an array of this rank: its offset if it is symmetric, aligned to 16 bytes and not so
  /// small that staging it is faster.
  [[nodiscard]] Placement placement_of(void const* p, std::size_t bytes) const {
    std::uintptr_t const offset = reinterpret_cast<std::uintptr_t>(p) - m_symmetric_begin;
    if (offset >= m_device.m_layout.symmetric_bytes || offset % 16 != 0 || bytes < m_zero_copy_bytes) return {};
    return {static_cast<std::uint32_t>((offset + m_device.m_layout.symmetric) / 16)};
  }
  /// Returns room for two lists of ranks + 1 offsets, to which the next launch may refer.
  [[nodiscard]] std::size_t* offsets_room() { return m_offsets.data(); }

  /// Allocates zeroed symmetric memory. Collective; equal arguments on all ranks, else MismatchError.
  std::byte* allocate_symmetric(std::size_t bytes, std::string_view label);
  /// Frees it. Collective; same order on all ranks.
  void free_symmetric(void const* p);

  /// Returns the ranks whose color is this rank's, by key and rank; empty for a negative color. Collective.
  [[nodiscard]] std::vector<int> members_of(int color, int key);

  [[nodiscard]] std::string describe() const;
  /// Notes a call for failures and for the log.
  void note_call(std::string_view operation, std::string_view label) { m_health->note_launch(operation, label); }
  /// Says whether publish_call must be told of each call: with KOINON_CHECK, and with KOINON_LOG=trace.
  [[nodiscard]] bool checks_calls() const { return m_publishes_calls; }
  /// Logs the text of the next call; with KOINON_CHECK publishes it and sets its hash.
  void publish_call(std::string const& text);
  /// Remembers what a policy preferred and did not get.
  void note_dropped(Operation operation, Selection const& selection);

 protected:
  /// Lays out the segment and hands it to the backend, which maps it; then arms the words and agrees. Collective.
  /// @param has_sentinels the backend's block is a SentinelVocabulary
  void open_segment(bool has_sentinels);
  /// Ends the communicator: peers that wait get an error while an exception unwinds, else all leave together.
  void close() noexcept;

  /// Maps `layout.bytes` a rank, zeroed, all at base + rank * stride. Stride 0: they lie apart, base is the own one, and the
  /// backend fills DeviceCommunicator::m_segments. Collective.
  virtual void map_segment(SegmentLayout const& layout, std::byte*& base, std::ptrdiff_t& stride) = 0;
  /// Supplies the launches' memory and, if that is not zero, stores the number that the communicator starts after in this
  /// rank's started words. Here: memory of the host. @pre the segment is mapped, and nobody signals yet
  virtual LaunchMemory make_launch_memory(LaunchNumber first);
  /// Returns the number of this rank's last launch, as far as it is known. Here: read from the host's memory.
  virtual LaunchNumber last_launch() noexcept { return m_numbers ? m_numbers[0] : 0; }
  /// Waits until what this rank launched has ended, no longer than the timeout; false: it has not. Here: a launch ends
  /// before its call returns.
  virtual bool await_launches() noexcept { return true; }
  /// Fills memory of this rank's segment, and waits until it is done.
  virtual void fill_zero(std::byte* p, std::size_t bytes) = 0;

 private:
  int m_rank;
  int m_size;
  CommunicatorOptions m_options;
  BackendFacts m_backend;
  Environment m_environment;
  Log m_log;
  std::vector<Identity> m_identities;
  std::unique_ptr<ControlPlane> m_control;
  std::unique_ptr<Health> m_health;
  std::unique_ptr<SymmetricHeap> m_heap;
  TuningTable m_tunings;
  DeviceCommunicator m_device;
  bool m_publishes_calls = false;  // beside what every call reads
  std::uintptr_t m_symmetric_begin = 0;
  std::size_t m_zero_copy_bytes = 0;
  LaunchNumber m_published = 0;  // of the last call that was published
  std::unique_ptr<LaunchNumber[]> m_numbers;
  std::unique_ptr<LaunchNumber[]> m_known;
  std::unique_ptr<std::uint64_t[]> m_scratch;
  std::vector<std::size_t> m_offsets;
  SelectionCache m_selections;
  std::string m_dropped;
  int m_exceptions_at_start;
};

}  // namespace Koinon::Impl
