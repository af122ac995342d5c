// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <arrays/Koinon_Pack.hpp>
#include <communicator/Koinon_CommunicatorBase.hpp>
#include <protocol/Koinon_DeviceCommunicator.hpp>
#include <protocol/Koinon_Order.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

/// What a backend must offer: the six files of backends/<name>. Checked where each backend is named.
namespace Koinon::Impl {

/// The vocabulary: what a block of threads can do. The conformance tests check each word.
template <class B>
concept BlockVocabulary = requires(B const& block, DeviceCommunicator const& comm, std::uint32_t* word, std::byte* data,
                                   typename B::Packet* packet, LaunchNumber number, typename B::Patience& patience) {
  // Where the thread stands: block of the grid, thread of the block.
  { block.index() } -> std::same_as<int>;
  { block.count() } -> std::same_as<int>;
  { block.thread() } -> std::same_as<int>;
  { block.threads() } -> std::same_as<int>;
  block.barrier();
  { block.all(true) } -> std::same_as<bool>;
  { block.scratch(comm) } -> std::same_as<std::uint64_t*>;  // 4 * ranks words of the block's own
  // Words: relaxed, or a load that acquires and a store that releases; started words in the order this backend needs.
  { B::load(word, Relaxed{}) } -> std::same_as<std::uint32_t>;
  { B::load(word, AcquireRelease{}) } -> std::same_as<std::uint32_t>;
  B::store(word, 1u, Relaxed{});
  B::store(word, 1u, AcquireRelease{});
  { B::load_started(word) } -> std::same_as<std::uint32_t>;
  B::store_started(word, 1u);
  // Data: packs, copies, streams past the caches.
  { B::template pack_elements<float> } -> std::convertible_to<std::size_t>;
  { B::ranks_in_flight } -> std::convertible_to<int>;
  B::template load_pack<float, 4>(static_cast<float const*>(nullptr));
  block.copy_bytes(data, data, std::size_t{1});
  block.take_bytes(data, data, std::size_t{1});
  block.clear(data, std::size_t{1});
  { block.streams(comm, std::size_t{1}) } -> std::same_as<bool>;
  { block.stage_bytes(comm, data, data, std::size_t{1}) } -> std::same_as<bool>;
  B::drain_streams();
  { B::can_stream } -> std::convertible_to<bool>;
  { B::prefers_stores } -> std::convertible_to<bool>;
  { B::row_registers } -> std::convertible_to<int>;  // values of a row that a thread keeps; 0: rows are in memory
  block.give_back(comm, data, std::size_t{1});
  // Packets: data that is its own flag. Several in flight at once are in registers, else each is read where it lies.
  { B::Packet::payload_bytes } -> std::convertible_to<std::size_t>;
  { B::packets_in_flight } -> std::convertible_to<int>;
  // Hints: lines that this rank writes next.
  { B::own_ahead_bytes } -> std::convertible_to<std::size_t>;
  B::own_soon(data, std::size_t{0});
  // Waiting: false ends a wait, with the reason recorded.
  { patience.more(comm, number, 0) } -> std::same_as<bool>;
  B::report_mismatch(comm, number, 0);
  { block.record(comm) } -> std::same_as<LaunchRecord>;
  block.confirm_alone(comm, number);
};

template <class B>
concept PacketsInMemory = requires(typename B::Packet* packet, LaunchNumber number) {
  B::send_packet(packet, static_cast<float const*>(nullptr), 1, number);
  { B::receive_packet(packet, static_cast<float*>(nullptr), 1, number) } -> std::same_as<float const*>;
};
template <class B>
concept PacketsInRegisters = requires(typename B::Packet* packet, typename B::PacketContent& content, LaunchNumber number) {
  { B::load_content(static_cast<float const*>(nullptr), 1) } -> std::same_as<typename B::PacketContent>;
  B::store_content(static_cast<float*>(nullptr), content, 1);
  { B::template get<float>(content, 0) } -> std::same_as<float>;
  B::put(content, 0, 1.0f);
  B::send_content(packet, content, number);
  { B::load_packet(packet, content, number) } -> std::same_as<bool>;
};

/// What a backend offers besides whose stores can go past the caches.
template <class B>
concept StreamVocabulary =
    !B::can_stream || requires(float* data) { B::template stream_pack<float, 4>(data, Pack<float, 4>{}); };

/// A backend: its instance, memory, vocabulary, and how a body is launched.
template <class Backend>
concept BackendType = BlockVocabulary<typename Backend::Block> &&
                      (PacketsInMemory<typename Backend::Block> || PacketsInRegisters<typename Backend::Block>) && StreamVocabulary<typename Backend::Block> &&
                      requires(typename Backend::Instance const& instance, typename Backend::Memory& memory,
                               CommunicatorBase& comm) {
                        memory.attach(comm);
                        memory.fill_zero(static_cast<std::byte*>(nullptr), std::size_t{0});
                        // Why kernels cannot access an array; null: they can. Every call asks it of every array.
                        { memory.refusal_of(static_cast<void const*>(nullptr)) } -> std::same_as<char const*>;
                        // Why nothing can be launched on an instance now; null: it can. Asked before each launch.
                        { memory.refusal_of(instance) } -> std::same_as<char const*>;
                      };

}  // namespace Koinon::Impl
