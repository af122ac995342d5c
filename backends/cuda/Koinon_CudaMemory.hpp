// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaInstance.hpp>
#include <Koinon_CudaPointers.hpp>
#include <communicator/Koinon_CommunicatorBase.hpp>
#include <protocol/Koinon_SegmentLayout.hpp>

#include <cstddef>
#include <memory>

namespace Koinon::Impl {

/// Owns the memory of a CUDA communicator: the segments, the words that only this rank's launches use (behind the own
/// segment, in the same allocation), and the pinned words through which kernels tell of failures and are aborted.
class KOINON_EXPORT CudaMemory {
 public:
  /// A backend's instance that converts to CudaPlace will do.
  explicit CudaMemory(CudaPlace const& place);
  CudaMemory(CudaMemory const&) = delete;
  CudaMemory& operator=(CudaMemory const&) = delete;
  ~CudaMemory();

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
  /// Says why nothing can be launched on an instance now; null: it can. Asked before each launch. The text is static.
  [[nodiscard]] char const* refusal_of(CudaInstance const& instance);
  /// Says why this rank's kernels cannot access an array that a call was given; null: they can. The text is static.
  [[nodiscard]] char const* refusal_of(void const* p) { return m_reached.refusal_of(m_place, p); }
  /// Returns the address whose offsets are those of every rank's segment; null: there is no multicast. Only `multimem`
  /// instructions may touch it.
  [[nodiscard]] std::byte* multicast_base() const;

 private:
  struct Parts;

  CudaPlace m_place;
  [[nodiscard]] bool launches_ended() const;
  [[nodiscard]] bool see_launches_end();

  std::unique_ptr<Parts> m_parts;
  LaunchMemory m_launch;
  CudaReached m_reached;
  void* m_watch = nullptr;     // a CudaWatch in device memory
  Health* m_health = nullptr;  // that watches the words
  bool m_stays = false;        // kernels may still use it
};

}  // namespace Koinon::Impl
