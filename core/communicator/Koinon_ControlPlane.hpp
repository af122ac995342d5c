// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bootstrap/Koinon_Bootstrap.hpp>
#include <communicator/Koinon_FailureRecord.hpp>
#include <node/Koinon_Identity.hpp>
#include <node/Koinon_SharedSegments.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace Koinon::Impl {

struct ControlSegment;
struct Channel;

/// Carries what ranks tell each other beside collectives: small messages between every two ranks, failures, farewells.
///
/// Lives in host memory of its own, whatever the backend; after creation nothing goes through the user's bootstrap.
class KOINON_EXPORT ControlPlane {
 public:
  using Clock = std::chrono::steady_clock;
  /// Looks at the world while a message is waited for; throws when it is no use to wait longer. `left`: the peer said
  /// farewell and the message is not among what it sent before.
  using Watch = std::function<void(int peer, Clock::time_point since, bool left)>;

  ControlPlane(Bootstrap& bootstrap, std::vector<Identity> const& identities, std::chrono::nanoseconds timeout);

  [[nodiscard]] int rank() const { return m_rank; }
  [[nodiscard]] int size() const { return m_size; }
  [[nodiscard]] std::vector<std::int64_t> const& process_ids() const { return m_segments.process_ids(); }
  void set_watch(Watch watch) { m_watch = std::move(watch); }

  /// Sends bytes to a peer and receives as many, in chunks; the order of calls between two ranks is the order of messages.
  void send(int peer, std::span<std::byte const> bytes);
  void receive(int peer, std::span<std::byte> bytes);

  /// Returns a rank's failure record; `kind` must be read with std::atomic_ref (acquire) before the rest.
  [[nodiscard]] FailureRecord& failure(int rank) const;
  /// Is nonzero (a rank + 1) once a peer has failed and wants this rank to know.
  [[nodiscard]] std::uint32_t& alert(int rank) const;
  /// Tells that this rank begins to destroy its communicator and made `last` as its last launch (release).
  void say_farewell(std::uint32_t last) noexcept;
  /// Returns 0 while a rank stays, else 2^32 + the number of its last launch (acquire).
  [[nodiscard]] std::uint64_t farewell_of(int rank) const noexcept;
  /// Returns a rank's ring of the texts of its last calls (with KOINON_CHECK).
  static constexpr int ring_calls = 64;
  static constexpr int ring_text = 240;
  [[nodiscard]] char* call_text(int rank, std::uint32_t launch_number) const;

 private:
  [[nodiscard]] ControlSegment& segment(int rank) const;
  [[nodiscard]] Channel& channel(int at, int writer) const;
  void wait_while_equal(std::uint32_t& moves, std::uint32_t& stays, bool equal, int peer);

  int m_rank;
  int m_size;
  SharedSegments m_segments;
  Watch m_watch;
};

/// Is a bootstrap over a control plane, for all of its ranks or some: `members` in the order of the new ranks.
class KOINON_EXPORT ControlBootstrap final : public Bootstrap {
 public:
  explicit ControlBootstrap(ControlPlane& plane);
  ControlBootstrap(ControlPlane& plane, std::vector<int> members);
  ~ControlBootstrap() override;
  [[nodiscard]] int rank() const override { return m_rank; }
  [[nodiscard]] int size() const override { return static_cast<int>(m_members.size()); }
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) override;
  void barrier() override;

 private:
  ControlPlane& m_plane;
  std::vector<int> m_members;
  int m_rank = 0;
};

}  // namespace Koinon::Impl
