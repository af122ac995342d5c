// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CoreWithoutMpi.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace Koinon::Testing {

/// Is the host's block with what a GPU has otherwise: packets of 12 bytes that are read into registers, several in flight, and
/// staging that is the reader's.
class RegisterBlock : public Impl::HostBlock {
 public:
  using HostBlock::HostBlock;
  struct alignas(16) Packet {
    static constexpr std::size_t payload_bytes = 12;
    std::byte payload[payload_bytes];
    std::uint32_t number;
  };
  struct PacketContent {
    std::byte bytes[Packet::payload_bytes];
  };
  static constexpr int packets_in_flight = 8;
  static constexpr bool prefers_stores = true;

  template <class T>
  static PacketContent load_content(T const* from, int n) {
    PacketContent content{};
    std::memcpy(content.bytes, from, static_cast<std::size_t>(n) * sizeof(T));
    return content;
  }
  template <class T>
  static void store_content(T* to, PacketContent const& content, int n) {
    std::memcpy(to, content.bytes, static_cast<std::size_t>(n) * sizeof(T));
  }
  static void send_content(Packet* to, PacketContent const& content, Impl::LaunchNumber number) {
    std::memcpy(to->payload, content.bytes, sizeof content.bytes);
    store(&to->number, number, AcquireRelease{});
  }
  static bool load_packet(Packet const* from, PacketContent& content, Impl::LaunchNumber number) {
    if (load(&from->number, AcquireRelease{}) != number) return false;
    std::memcpy(content.bytes, from->payload, sizeof content.bytes);
    return true;
  }
  template <class T>
  static T get(PacketContent const& content, int e) {
    T value;
    std::memcpy(static_cast<void*>(&value), content.bytes + static_cast<std::size_t>(e) * sizeof(T), sizeof(T));
    return value;
  }
  template <class T>
  static void put(PacketContent& content, int e, T const& value) {
    std::memcpy(content.bytes + static_cast<std::size_t>(e) * sizeof(T), &value, sizeof(T));
  }
  static void prefetch(void const*) {}
};

struct RegisterBackend : Impl::HostBackend {
  using Block = RegisterBlock;
  template <class Body, class Arguments>
  static void launch(Instance const&, DeviceCommunicator const& comm, Selection const&, Arguments const& arguments) {
    Impl::run<Body>(RegisterBlock(0, 1), comm, arguments);
  }
};
struct RegisterSpace {};

}  // namespace Koinon::Testing

namespace Koinon {

template <>
inline constexpr bool is_execution_space_v<Koinon::Testing::RegisterSpace> = true;
template <>
struct ExecutionSpaceTraits<Koinon::Testing::RegisterSpace> {
  using backend = Koinon::Testing::RegisterBackend;
  static Impl::HostTeam instance(Koinon::Testing::RegisterSpace const&) { return {.threads = 1}; }
  static Impl::BackendFacts facts(Koinon::Testing::RegisterSpace const&) {
    return Impl::HostBackend::facts(Impl::HostTeam{.threads = 1});
  }
};

}  // namespace Koinon
