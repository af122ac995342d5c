// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Enumerations.hpp>

#include <concepts>

namespace Koinon {

namespace Impl {

template <Operation Value>
struct OperationTag {
  static constexpr Operation operation = Value;
};

}  // namespace Impl

/// Name an operation as a type: `can_run<Koinon::AllReduce>(...)`, `workspace_bytes<Koinon::AllGather, T>(...)`.
struct AllReduce : Impl::OperationTag<Operation::all_reduce> {};
struct ReduceScatter : Impl::OperationTag<Operation::reduce_scatter> {};
struct AllGather : Impl::OperationTag<Operation::all_gather> {};
struct AllGatherColumns : Impl::OperationTag<Operation::all_gather_columns> {};
struct AllToAll : Impl::OperationTag<Operation::all_to_all> {};
struct ShardsToRows : Impl::OperationTag<Operation::shards_to_rows> {};
struct RowsToShards : Impl::OperationTag<Operation::rows_to_shards> {};
struct AllGatherMultiple : Impl::OperationTag<Operation::all_gather_multiple> {};
struct AllReduceMultiple : Impl::OperationTag<Operation::all_reduce_multiple> {};
struct Broadcast : Impl::OperationTag<Operation::broadcast> {};
struct Reduce : Impl::OperationTag<Operation::reduce> {};
struct Barrier : Impl::OperationTag<Operation::barrier> {};

template <class T>
concept OperationType = requires {
  { T::operation } -> std::same_as<Operation const&>;
};

template <OperationType Left, OperationType Right>
constexpr bool operator==(Left const&, Right const&) {
  return Left::operation == Right::operation;
}

}  // namespace Koinon
