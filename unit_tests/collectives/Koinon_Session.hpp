// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <support/Koinon_ExecutionSpaces.hpp>
#include <support/Koinon_RankRunner.hpp>
#include <support/Koinon_SpaceMemory.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace Koinon::Testing {

/// Is one rank's communicator of the tests, on the space of that index: little staging, so that rounds are cheap, and
/// two arenas of symmetric memory into which cells place their arrays.
class Session {
 public:
  static constexpr std::size_t arena_bytes = std::size_t{512} << 10;

  Session(Koinon::Bootstrap& bootstrap, int space_index, std::uint32_t launch_number = 0);

  [[nodiscard]] int rank() const { return m_bootstrap.rank(); }
  [[nodiscard]] int size() const { return m_bootstrap.size(); }
  [[nodiscard]] int max_blocks() const { return m_max_blocks; }
  [[nodiscard]] Koinon::Bootstrap& bootstrap() const { return m_bootstrap; }
  [[nodiscard]] AnyPolicy const& policy() const { return *m_policy; }
  /// @pre the session is on that space
  template <class Space>
  [[nodiscard]] auto const& policy_of() const {
    return std::get<decltype(CollectivePolicy(std::declval<Space const&>(),
                                              std::declval<Communicator<Space> const&>()))>(*m_policy);
  }
  [[nodiscard]] std::byte* in_arena() const { return m_in; }
  [[nodiscard]] std::byte* out_arena() const { return m_out; }
  [[nodiscard]] Koinon::DeviceCommunicator const& device() const;
  [[nodiscard]] std::string describe() const;
  /// Returns the way to the memory that arrays of this session lie in; null: the host's own.
  [[nodiscard]] SpaceMemory const* memory() const { return m_memory.get(); }
  /// Returns the bytes of a packet and of its data in the backend.
  [[nodiscard]] std::size_t packet_bytes() const { return m_packet_bytes; }
  [[nodiscard]] std::size_t packet_payload() const { return m_packet_payload; }
  /// Returns into how many pieces a block's staging is divided by a two-shot all_reduce: who pushes has two for each rank.
  [[nodiscard]] int two_shot_pieces() const { return m_two_shot_pieces; }
  /// Returns the last launch number as that block of the session's kernels has it.
  [[nodiscard]] Koinon::Impl::LaunchNumber launch_number(int block) const { return own_word(device().m_numbers + block); }
  /// Returns the last launch in which data of all peers reached a block.
  [[nodiscard]] Koinon::Impl::LaunchNumber known_number(int block) const { return own_word(device().m_known + block); }

  /// Returns the policy that requires this, and prefers that.
  [[nodiscard]] AnyPolicy with(Koinon::Tuning const& required, Koinon::Tuning const& preferred = {}) const;

  void barrier() const;

 private:
  [[nodiscard]] Koinon::Impl::LaunchNumber own_word(Koinon::Impl::LaunchNumber const* at) const;

  Koinon::Bootstrap& m_bootstrap;
  std::unique_ptr<AnyCommunicator> m_communicator;
  std::unique_ptr<AnyPolicy> m_policy;
  int m_max_blocks = 1;
  std::byte* m_in = nullptr;
  std::byte* m_out = nullptr;
  std::unique_ptr<SpaceMemory const> m_memory;
  int m_two_shot_pieces = 1;
  std::size_t m_packet_bytes = 0;
  std::size_t m_packet_payload = 0;
};

/// Returns the least staging that a communicator takes.
inline constexpr std::size_t small_staging = std::size_t{64} << 10;

}  // namespace Koinon::Testing
