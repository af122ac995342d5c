// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_DeviceCalls.hpp>
#include <Koinon_Export.hpp>
#include <node/Koinon_MadeHere.hpp>

#include <cstdint>

namespace Koinon::Impl {

/// Is what the host of a rank knows of its launches: where the last ones went, so that the next one comes behind them,
/// and how many blocks there were, so that their end can be seen.
///
/// A launch on another stream than the last one's, both outside captures or both in one capture, waits for it by an
/// event; on the same stream there is none. The stream of a communicator's last call must live until a call has been
/// made on another one. A capture's first call is ordered behind nothing: when it runs, its user says.
///
/// Blocks of launches outside captures are counted, here when they are launched and in device memory when they end
/// (LaunchWords): what is under way is known without an event a launch, and without touching a stream that may be
/// gone. What a graph launches later, the host is not told.
class KOINON_EXPORT DeviceLaunched {
 public:
  explicit DeviceLaunched(DeviceCalls const& calls);
  DeviceLaunched(DeviceLaunched const&) = delete;
  DeviceLaunched& operator=(DeviceLaunched const&) = delete;
  ~DeviceLaunched();

  /// Says why nothing can be launched on a stream now; null: it can. The text is static. Looks at the stream.
  [[nodiscard]] char const* refusal_of(void* stream);
  /// Puts what comes next on the stream that was asked for last behind the launch before. Throws ResourceError.
  void order() {
    Where const& before = counts() ? m_eager : m_last;
    if (before.known && before.stream != m_now.stream && before.capture == m_now.capture) [[unlikely]] {
      // One event will do: a wait takes what was recorded last when it is enqueued.
      m_calls.wait_for(m_now.stream, m_event, before.stream);
    }
  }
  /// Says whether the stream that was asked for last is not being captured: its launch's blocks tell of their end.
  [[nodiscard]] bool counts() const { return m_now.capture == 0; }
  /// Notes a launch on the stream that was asked for last.
  void note(int blocks) {
    m_last = m_now;
    if (!counts()) return;
    m_eager = m_now;
    m_blocks += static_cast<std::uint64_t>(blocks);
  }
  /// Returns how many blocks were launched outside captures.
  [[nodiscard]] std::uint64_t blocks() const { return m_blocks; }

 private:
  /// Is where a launch goes: a stream, and the capture it is in, 0 if none.
  struct Where {
    void* stream = nullptr;
    std::uint64_t capture = 0;
    bool known = false;
  };
  /// Says whether that capture has not ended; whether a stream is in any.
  [[nodiscard]] bool is_in_capture(Where const& where) const;
  [[nodiscard]] bool is_captured(void* stream) const;

  DeviceCalls const& m_calls;
  void* m_event;
  Where m_now;    // that was asked for
  Where m_last;   // of the last launch
  Where m_eager;  // of the last one outside captures
  std::uint64_t m_blocks = 0;
  MadeHere m_here;
};

}  // namespace Koinon::Impl
