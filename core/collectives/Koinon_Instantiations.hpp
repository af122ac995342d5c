// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <collectives/Koinon_LaunchAllGather.hpp>
#include <collectives/Koinon_LaunchAllGatherMultiple.hpp>
#include <collectives/Koinon_LaunchAllReduce.hpp>
#include <collectives/Koinon_LaunchExchange.hpp>
#include <collectives/Koinon_LaunchAllReduceMultiple.hpp>
#include <collectives/Koinon_LaunchReduceScatter.hpp>
#include <elements/Koinon_Elements.hpp>
#include <reducers/Koinon_Reducers.hpp>

#include <cstdint>

// What a backend's library has compiled, so that a user's file need not: common elements and reducers, any algorithm.
// Each list names `DO`, which is given what goes before `template`, and the backend.

#define KOINON_INSTANTIATE_REDUCTIONS_OF(DO, BACKEND, T, R)                                                            \
  DO void launch_all_reduce<BACKEND, T, R, Selector{}>(BACKEND::Instance const&, DeviceCommunicator const&,            \
                                                       Selection const&, AllReduceArguments<T, R> const&);             \
  DO void launch_reduce_scatter<BACKEND, T, R, Selector{}>(BACKEND::Instance const&, DeviceCommunicator const&,        \
                                                           Selection const&, ReduceScatterArguments<T, R> const&);

#define KOINON_INSTANTIATE_REDUCTIONS(DO, BACKEND, R)               \
  KOINON_INSTANTIATE_REDUCTIONS_OF(DO, BACKEND, float, R)           \
  KOINON_INSTANTIATE_REDUCTIONS_OF(DO, BACKEND, double, R)          \
  KOINON_INSTANTIATE_REDUCTIONS_OF(DO, BACKEND, float16, R)         \
  KOINON_INSTANTIATE_REDUCTIONS_OF(DO, BACKEND, bfloat16, R)        \
  KOINON_INSTANTIATE_REDUCTIONS_OF(DO, BACKEND, std::int32_t, R)    \
  KOINON_INSTANTIATE_REDUCTIONS_OF(DO, BACKEND, std::int64_t, R)

// Sums of up to eight arrays of one type: lists of gradients.
#define KOINON_INSTANTIATE_MULTIPLE_SUMS_OF(DO, BACKEND, T)                                           \
  DO void launch_all_reduce_multiple<BACKEND, Selector{}, ReducedGroup<T, Sum, 8>>(                   \
      BACKEND::Instance const&, DeviceCommunicator const&, Selection const&,                          \
      AllReduceMultipleArguments<ReducedGroup<T, Sum, 8>> const&);

#define KOINON_INSTANTIATE_MULTIPLE_SUMS(DO, BACKEND)       \
  KOINON_INSTANTIATE_MULTIPLE_SUMS_OF(DO, BACKEND, float)   \
  KOINON_INSTANTIATE_MULTIPLE_SUMS_OF(DO, BACKEND, double)  \
  KOINON_INSTANTIATE_MULTIPLE_SUMS_OF(DO, BACKEND, bfloat16)

#define KOINON_INSTANTIATE_MOVES_OF(DO, BACKEND, T)                                                             \
  DO void launch_all_gather<BACKEND, T, Selector{}>(BACKEND::Instance const&, DeviceCommunicator const&,        \
                                                    Selection const&, AllGatherArguments<T> const&);        \
  DO void launch_exchange<BACKEND, T, Selector{}>(BACKEND::Instance const&, DeviceCommunicator const&,          \
                                                  Selection const&, ExchangeArguments<T> const&);

#define KOINON_INSTANTIATE_MULTIPLE_MOVES(DO, BACKEND)                                                             \
  DO void launch_all_gather_multiple<BACKEND, 8, Selector{}>(BACKEND::Instance const&, DeviceCommunicator const&, \
                                                             Selection const&, AllGatherMultipleArguments<8> const&);

#define KOINON_INSTANTIATE_MOVES(DO, BACKEND)                 \
  KOINON_INSTANTIATE_MOVES_OF(DO, BACKEND, std::uint8_t)      \
  KOINON_INSTANTIATE_MOVES_OF(DO, BACKEND, std::uint16_t)     \
  KOINON_INSTANTIATE_MOVES_OF(DO, BACKEND, std::uint32_t)     \
  KOINON_INSTANTIATE_MOVES_OF(DO, BACKEND, std::uint64_t)     \
  KOINON_INSTANTIATE_MULTIPLE_MOVES(DO, BACKEND)
