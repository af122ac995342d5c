// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_Session.hpp>
#include <support/Koinon_Streams.hpp>

#include <cstring>
#include <memory>
#include <type_traits>

namespace Koinon::Testing {

Session::Session(Koinon::Bootstrap& bootstrap, int space_index, std::uint32_t launch_number) : m_bootstrap(bootstrap) {
  Koinon::CommunicatorOptions const options{.staging_bytes = small_staging,
                                            .symmetric_bytes = 2 * arena_bytes + 4096,
                                            .zero_copy_bytes = 256,
                                            .timeout = std::chrono::seconds(120),
                                            .launch_number = launch_number};
  HostSpaces::with(space_index, [&]<class Space>(Space const& space) {
    using Made = Communicator<Space>;
    m_communicator = std::make_unique<AnyCommunicator>(std::in_place_type<Made>, space, bootstrap, options);
    auto const& communicator = std::get<Made>(*m_communicator);
    m_max_blocks = communicator.max_blocks();
    m_in = symmetric_array<std::byte, 1>(communicator, std::size_t{arena_bytes}).data();
    m_out = symmetric_array<std::byte, 1>(communicator, std::size_t{arena_bytes}).data();
    m_policy = std::make_unique<AnyPolicy>(CollectivePolicy(space, communicator));
    using Backend = typename ExecutionSpaceTraits<Space>::backend;
    using Packet = typename Backend::Block::Packet;
    m_memory = make_space_memory(space);
    m_two_shot_pieces = Backend::Block::prefers_stores ? 2 * bootstrap.size() : 1;
    m_packet_bytes = sizeof(Packet);
    m_packet_payload = Packet::payload_bytes;
    if constexpr (std::is_same_v<Backend, Impl::HostBackend>) {  // ranks that stream beside ranks that do not
      if (bootstrap.rank() % 3 != 0) fix_streams(communicator.device(), bootstrap.rank() % 3 == 1);
    }
  });
}

Koinon::DeviceCommunicator const& Session::device() const {
  return std::visit([](auto const& c) -> Koinon::DeviceCommunicator const& { return c.device(); }, *m_communicator);
}

Koinon::Impl::LaunchNumber Session::own_word(Koinon::Impl::LaunchNumber const* at) const {
  auto const* const number = reinterpret_cast<std::byte const*>(at);
  Koinon::Impl::LaunchNumber value = 0;
  if (m_memory) {
    m_memory->download(reinterpret_cast<std::byte*>(&value), number, sizeof value);
  } else {
    std::memcpy(&value, number, sizeof value);
  }
  return value;
}

std::string Session::describe() const {
  return std::visit([](auto const& c) { return c.describe(); }, *m_communicator);
}

AnyPolicy Session::with(Koinon::Tuning const& required, Koinon::Tuning const& preferred) const {
  return std::visit(
      [&](auto const& policy) -> AnyPolicy { return Koinon::prefer(Koinon::require(policy, required), preferred); },
      *m_policy);
}

void Session::barrier() const {
  std::visit([](auto const& policy) { Koinon::barrier("test", policy); }, *m_policy);
}

}  // namespace Koinon::Testing
