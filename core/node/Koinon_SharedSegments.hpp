// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bootstrap/Koinon_Bootstrap.hpp>
#include <node/Koinon_Identity.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace Koinon::Impl {

class AddressRange;

/// Is one segment of host memory a rank, all mapped at one reserved range: segment p begins at base + p * stride.
///
/// Between processes a segment is a sealed memfd, passed by descriptor and mapped by every rank; between threads of one
/// process all segments are one plain mapping, so that every thread uses the same addresses. Zeroed. Each segment is
/// first touched by its owner, and its size is reserved before anything is written: lack of memory is a ResourceError
/// here and no signal later. It lives as long as any rank maps it.
class KOINON_EXPORT SharedSegments {
 public:
  SharedSegments() = default;

  /// Makes segments of `bytes` each. Collective; on failure of any rank all ranks throw and nothing stays mapped.
  SharedSegments(Bootstrap& bootstrap, std::vector<Identity> const& identities, std::size_t bytes,
                 std::chrono::nanoseconds timeout);

  [[nodiscard]] std::byte* base() const { return m_base; }
  [[nodiscard]] std::ptrdiff_t stride() const { return m_stride; }
  [[nodiscard]] std::byte* segment(int rank) const { return m_base + rank * m_stride; }
  [[nodiscard]] std::size_t bytes() const { return m_bytes; }
  /// Returns the peers' process ids as the kernel tells them to this process; empty between threads.
  [[nodiscard]] std::vector<std::int64_t> const& process_ids() const { return m_process_ids; }

 private:
  std::shared_ptr<AddressRange> m_range;
  std::byte* m_base = nullptr;
  std::ptrdiff_t m_stride = 0;
  std::size_t m_bytes = 0;
  std::vector<std::int64_t> m_process_ids;
};

/// Says whether all ranks are threads of this process.
KOINON_EXPORT bool all_in_one_process(std::vector<Identity> const& identities);

}  // namespace Koinon::Impl
