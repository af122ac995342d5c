// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaInstance.hpp>
#include <Koinon_Export.hpp>

#include <cstdint>

namespace Koinon::Impl {

struct CudaDriver;

/// Is what the host of a rank knows of its launches: whether they may go where a call wants them, and how many blocks
/// there were, so that their end can be seen.
///
/// Blocks of launches outside captures are counted, here when they are launched and in device memory when they end
/// (CudaLaunchWords): what is under way is known without an event a launch, and without touching a stream that may be
/// gone. What a graph launches later, the host is not told.
class KOINON_EXPORT CudaLaunched {
 public:
  CudaLaunched(CudaDriver const& driver, CudaPlace const& place);
  CudaLaunched(CudaLaunched const&) = delete;
  CudaLaunched& operator=(CudaLaunched const&) = delete;
  ~CudaLaunched();

  /// Says why nothing can be launched on an instance now; null: it can. The text is static. Looks at the stream.
  [[nodiscard]] char const* refusal_of(CudaInstance const& instance);
  /// Says whether the instance that was asked for last is not being captured: its launch's blocks tell of their end.
  [[nodiscard]] bool counts() const { return m_now.capture == 0; }
  /// Notes a launch on the instance that was asked for last.
  void note(int blocks) {
    if (counts()) m_blocks += static_cast<std::uint64_t>(blocks);
  }
  /// Returns how many blocks were launched outside captures.
  [[nodiscard]] std::uint64_t blocks() const { return m_blocks; }

 private:
  /// Is where a launch goes: a stream, and the capture it is in, 0 if none.
  struct Where {
    CUstream_st* stream = nullptr;
    std::uint64_t capture = 0;
  };

  CudaDriver const& m_driver;
  CudaPlace m_place;
  Where m_now;
  std::uint64_t m_blocks = 0;
};

}  // namespace Koinon::Impl
