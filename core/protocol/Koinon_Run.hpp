// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Macros.hpp>
#include <protocol/Koinon_CallCheck.hpp>
#include <protocol/Koinon_Launch.hpp>

namespace Koinon::Impl {

/// Runs one block of a launch: enters, with KOINON_CHECK compares the call with every peer's, runs the body, finishes.
///
/// A body is a function object without state, `void operator()(Launch<Block>&, Arguments const&) const`: a host passes
/// the arguments by reference, a device kernel takes them by value. It may have a `static void prefetch(Block const&,
/// Arguments const&)`, which asks for inputs that it will surely read while the launch's own words are under way.
template <class Body, class Block, class Arguments>
KOINON_FORCE_INLINE void run(Block const& block, DeviceCommunicator const& comm, Arguments const& arguments) {
  if constexpr (requires { Body::prefetch(block, arguments); }) Body::prefetch(block, arguments);
  LaunchRecord const before = block.record(comm);
  if (!before.good) return;  // threads that leave are not waited for, whatever others of the block have found
  Launch<Block> launch(block, comm, before);
  bool const agreed = launch.enter() && (!comm.m_check_calls || (launch.before_first_store() &&
                                                                 calls_agree(block, comm, launch.number())));
  if (agreed) Body{}(launch, arguments);
  launch.finish();
}

}  // namespace Koinon::Impl
