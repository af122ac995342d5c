// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>

#include <cstddef>
#include <map>
#include <string>

namespace Koinon::Impl {

/// Hands out offsets of the symmetric region. Pure bookkeeping: the same calls in the same order give the same offsets
/// on every rank.
class KOINON_EXPORT SymmetricHeap {
 public:
  static constexpr std::size_t alignment = 256;

  struct Block {
    std::size_t bytes;
    std::string label;
  };

  /// @param begin offset of the region in the segment @param bytes its size
  SymmetricHeap(std::size_t begin, std::size_t bytes);

  /// Returns the offset of a free block (first fit). Throws ResourceError with both numbers if none is large enough.
  std::size_t allocate(std::size_t bytes, std::string label);
  /// Frees the block at that offset. @pre it was allocated
  void free(std::size_t offset);
  [[nodiscard]] bool contains(std::size_t offset) const { return m_blocks.contains(offset); }
  [[nodiscard]] std::size_t used_bytes() const;
  [[nodiscard]] std::size_t bytes() const { return m_bytes; }
  /// Returns the blocks by offset.
  [[nodiscard]] std::map<std::size_t, Block> const& blocks() const { return m_blocks; }

 private:
  std::size_t m_begin;
  std::size_t m_bytes;
  std::map<std::size_t, Block> m_blocks;
};

}  // namespace Koinon::Impl
