// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_HostBackend.hpp>
#include <collectives/Koinon_LaunchAllGather.hpp>
#include <collectives/Koinon_LaunchAllReduce.hpp>
#include <collectives/Koinon_LaunchReduceScatter.hpp>
#include <elements/Koinon_Elements.hpp>
#include <reducers/Koinon_Reducers.hpp>

#include <cstdint>

// What the library has compiled, so that a user's file need not: common elements and reducers, any algorithm.
// Each list names `DO`, which is given what goes before `template`.

#define KOINON_HOST_REDUCTIONS_OF(DO, T, R)                                                                           \
  DO void launch_all_reduce<HostBackend, T, R, Selector{}>(HostTeam const&, DeviceCommunicator const&,                \
                                                           Selection const&, AllReduceArguments<T, R> const&);        \
  DO void launch_reduce_scatter<HostBackend, T, R, Selector{}>(HostTeam const&, DeviceCommunicator const&,            \
                                                               Selection const&, ReduceScatterArguments<T, R> const&);

#define KOINON_HOST_REDUCTIONS(DO, R)               \
  KOINON_HOST_REDUCTIONS_OF(DO, float, R)           \
  KOINON_HOST_REDUCTIONS_OF(DO, double, R)          \
  KOINON_HOST_REDUCTIONS_OF(DO, float16, R)         \
  KOINON_HOST_REDUCTIONS_OF(DO, bfloat16, R)        \
  KOINON_HOST_REDUCTIONS_OF(DO, std::int32_t, R)    \
  KOINON_HOST_REDUCTIONS_OF(DO, std::int64_t, R)

#define KOINON_HOST_MOVES_OF(DO, T)                                                                        \
  DO void launch_all_gather<HostBackend, T, Selector{}>(HostTeam const&, DeviceCommunicator const&,        \
                                                        Selection const&, AllGatherArguments<T> const&);

#define KOINON_HOST_MOVES(DO)                 \
  KOINON_HOST_MOVES_OF(DO, std::uint8_t)      \
  KOINON_HOST_MOVES_OF(DO, std::uint16_t)     \
  KOINON_HOST_MOVES_OF(DO, std::uint32_t)     \
  KOINON_HOST_MOVES_OF(DO, std::uint64_t)

#if defined(KOINON_ENABLE_INSTANTIATIONS) && !defined(KOINON_HOST_INSTANTIATES)
namespace Koinon::Impl {
KOINON_HOST_REDUCTIONS(extern template, Sum)
KOINON_HOST_REDUCTIONS(extern template, Min)
KOINON_HOST_REDUCTIONS(extern template, Max)
KOINON_HOST_MOVES(extern template)
}  // namespace Koinon::Impl
#endif
