// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <communicator/Koinon_SymmetricHeap.hpp>

#include <Koinon_Error.hpp>

#include <utility>

namespace Koinon::Impl {

SymmetricHeap::SymmetricHeap(std::size_t begin, std::size_t bytes) : m_begin(begin), m_bytes(bytes) {}

std::size_t SymmetricHeap::allocate(std::size_t bytes, std::string label) {
  std::size_t const rounded = (bytes / alignment + 1) * alignment;  // empty arrays have an address of their own too
  std::size_t at = m_begin;
  if (rounded > bytes) {  // else it wrapped: nothing is that large
    for (auto const& [offset, block] : m_blocks) {
      if (offset - at >= rounded) break;
      at = offset + block.bytes;
    }
    if (at + rounded <= m_begin + m_bytes && at + rounded > at) {
      m_blocks.emplace(at, Block{rounded, std::move(label)});
      return at;
    }
  }
  throw ResourceError("Koinon: symmetric memory is exhausted: `" + label + "` needs " + std::to_string(bytes) +
                      " bytes, " + std::to_string(used_bytes()) + " of " + std::to_string(m_bytes) +
                      " are in use on each rank (CommunicatorOptions::symmetric_bytes)");
}

void SymmetricHeap::free(std::size_t offset) { m_blocks.erase(offset); }

std::size_t SymmetricHeap::used_bytes() const {
  std::size_t used = 0;
  for (auto const& [offset, block] : m_blocks) used += block.bytes;
  return used;
}

}  // namespace Koinon::Impl
