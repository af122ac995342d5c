// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <arrays/Koinon_Operand.hpp>
#include <Koinon_Macros.hpp>
#include <protocol/Koinon_DeviceCommunicator.hpp>
#include <protocol/Koinon_Partition.hpp>

#include <cstddef>

/// Moves of a range of an operand to and from dense memory, by all threads of a block. Every bit is kept.
namespace Koinon::Impl {

template <class T, class Block>
KOINON_FORCE_INLINE void copy_in(Block const& block, Operand<T> const& from, Range range, std::remove_const_t<T>* to) {
  if (from.dense) {
    block.copy_bytes(to, from.pointer + range.begin, range.size() * sizeof(T));
    return;
  }
  using Value = std::remove_const_t<T>;
  for_each_pack<Value>(block, range.begin, range.end, [&](auto size, std::size_t i) {
    Block::template store_pack<Value, size()>(to + (i - range.begin), from.template load<size()>(block, i));
  });
}

/// Copies to memory that peers read next. Returns whether it was streamed: then drain_streams() before the signal.
template <class T, class Block>
KOINON_FORCE_INLINE bool stage(Block const& block, DeviceCommunicator const& comm, Operand<T> const& from, Range range,
                               std::remove_const_t<T>* to) {
  if (from.dense) return block.stage_bytes(comm, to, from.pointer + range.begin, range.size() * sizeof(T));
  copy_in(block, from, range, to);
  return false;
}

template <class T, class Block>
KOINON_FORCE_INLINE void copy_out(Block const& block, T const* from, Operand<T> const& to, Range range) {
  if (to.dense) {
    block.copy_bytes(to.pointer + range.begin, from, range.size() * sizeof(T));
    return;
  }
  for_each_pack<T>(block, range.begin, range.end, [&](auto size, std::size_t i) {
    to.template store<size()>(block, i, Block::template load_pack<T, size()>(from + (i - range.begin)));
  });
}

/// Copies out of this rank's staging, which it writes next: the lines come to stay.
template <class T, class Block>
KOINON_FORCE_INLINE void take_out(Block const& block, T const* from, Operand<T> const& to, Range range) {
  if (to.dense) {
    block.take_bytes(to.pointer + range.begin, from, range.size() * sizeof(T));
  } else {
    copy_out(block, from, to, range);
  }
}

}  // namespace Koinon::Impl
