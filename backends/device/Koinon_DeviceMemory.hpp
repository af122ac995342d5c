// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_DeviceCalls.hpp>
#include <communicator/Koinon_CommunicatorBase.hpp>
#include <protocol/Koinon_SegmentLayout.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace Koinon::Impl {

class DeviceLaunched;

/// Is one segment of device memory a rank, as this rank's kernels find them, and what keeps them.
struct DeviceSegments {
  std::shared_ptr<void> memory;
  std::byte* base = nullptr;        // of rank 0; of this rank where they lie anywhere
  std::ptrdiff_t stride = 0;        // 0: they lie anywhere
  std::vector<std::byte*> at;       // one a rank
  std::byte* multicast = nullptr;   // where offsets are those of every rank's segment; null: there is no such address
  std::string multicast_refusal;    // why there is none
  std::string way;                  // how they came to the ranks, and what was tried before
};

/// Owns the memory of a communicator on a device: the segments, the words that only this rank's launches use (behind the
/// own segment, in the same allocation), and the pinned words through which kernels tell of failures and are aborted.
/// A backend's memory says by which calls, and how segments are shared.
class KOINON_EXPORT DeviceMemory {
 public:
  DeviceMemory(DeviceMemory const&) = delete;
  DeviceMemory& operator=(DeviceMemory const&) = delete;
  virtual ~DeviceMemory();

  /// Makes everything, zeroed, with the started words at the number that the communicator starts after. Collective;
  /// every step is voted: on failure of any rank all throw and nothing stays.
  void map(Bootstrap& everyone, CommunicatorBase& comm, SegmentLayout const& layout, std::byte*& base,
           std::ptrdiff_t& stride);
  /// Connects the kernels' waits with the communicator. Cannot fail. @pre map was called
  void attach(CommunicatorBase& comm) noexcept;
  /// Zeroes device memory and waits until it is done.
  void fill_zero(std::byte* p, std::size_t bytes);

  [[nodiscard]] LaunchMemory launch_memory() const { return m_launch; }
  /// Returns the number of the last launch that has ended, 0 if it cannot be read. Waits for no launch.
  [[nodiscard]] LaunchNumber last_launch() noexcept;
  /// Waits until every launch outside captures has ended, up to the timeout; behind a failure the kernels' waits end by
  /// themselves. False: some has not, and whatever kernels use stays for ever. Never throws.
  [[nodiscard]] bool await_launches() noexcept;
  /// Returns the address whose offsets are those of every rank's segment; null: there is no multicast. Only the
  /// instructions for such addresses may touch it.
  [[nodiscard]] std::byte* multicast_base() const;

 protected:
  DeviceMemory();
  [[nodiscard]] DeviceLaunched& launched() const;

 private:
  struct Parts;
  /// Returns the calls for this rank's device. Throws ResourceError.
  [[nodiscard]] virtual std::shared_ptr<DeviceCalls const> make_calls() = 0;
  /// Makes segments of at least `bytes`, not zeroed. Collective; voted.
  [[nodiscard]] virtual DeviceSegments share(Bootstrap& everyone, CommunicatorBase& comm,
                                             std::shared_ptr<DeviceCalls const> const& calls, std::size_t bytes) = 0;
  [[nodiscard]] bool launches_ended() const;
  [[nodiscard]] bool see_launches_end();

  std::unique_ptr<Parts> m_parts;
  LaunchMemory m_launch;
  void* m_watch = nullptr;     // a DeviceWatch in device memory
  Health* m_health = nullptr;  // that watches the words
  bool m_stays = false;        // kernels may still use it
};

}  // namespace Koinon::Impl
