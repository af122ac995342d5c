// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <communicator/Koinon_Communicator.hpp>
#include <Koinon_EvenPartition.hpp>
#include <Koinon_Operations.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace Koinon {

/// Holds borrowed results: symmetric memory made once from stated maxima, at the same address in every call.
///
/// A result borrowed from it is valid until this rank's next call on this workspace; other operations and workspaces
/// leave it intact. Made collectively; freed with the communicator, whose copies of it all refer to the same memory.
class Workspace {
 public:
  /// Allocates `bytes` on every rank. Collective; ResourceError if symmetric memory has no room.
  template <class ExecutionSpace>
  Workspace(Communicator<ExecutionSpace> const& comm, std::size_t bytes)
      : m_pointer(comm.state()->allocate_symmetric(bytes, "workspace")), m_bytes(bytes), m_owner(comm.state()) {}

  [[nodiscard]] std::size_t bytes() const { return m_bytes; }
  [[nodiscard]] std::byte* data() const { return m_pointer; }
  /// Says whether the workspace was made from that communicator's state.
  [[nodiscard]] bool belongs_to(void const* state) const { return m_owner == state; }

 private:
  std::byte* m_pointer;
  std::size_t m_bytes;
  void const* m_owner;
};

/// Returns the bytes that a workspace needs for the results of an operation on elements T of `row_elements` a row:
/// all_gather: `rows` of all ranks together; reduce_scatter: `rows` of all ranks, of which a rank keeps its even share,
/// or, with counts of one's own, the largest count times the ranks; all_gather_columns: `rows`, and the columns of all ranks
/// together; shards_to_rows: the rows that a rank keeps, with all columns. 64-bit arithmetic; ResourceError beyond.
template <OperationType OperationTag, class T>
  requires(!std::is_same_v<OperationTag, AllGatherMultiple>)  // Koinon_BorrowedMultiple.hpp
[[nodiscard]] std::size_t workspace_bytes(int ranks, std::size_t rows, std::size_t row_elements) {
  static_assert(std::is_same_v<OperationTag, AllGather> || std::is_same_v<OperationTag, ReduceScatter> ||
                    std::is_same_v<OperationTag, AllGatherColumns> || std::is_same_v<OperationTag, ShardsToRows>,
                "Koinon::workspace_bytes: this operation has no borrowed form");
  std::size_t held = rows;
  if constexpr (std::is_same_v<OperationTag, ReduceScatter>) {
    held = static_cast<std::size_t>(even_partition(static_cast<std::int64_t>(rows), ranks).max_count());
  }
  return Impl::checked_product(Impl::checked_product(held, row_elements), sizeof(T));
}

}  // namespace Koinon
