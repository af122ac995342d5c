// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_Call.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

namespace Koinon::Impl {
namespace {

using Names = std::map<std::uint32_t, std::string>;

void expect_new(Names& seen, std::uint32_t id, std::string const& name) {
  auto const [at, is_new] = seen.emplace(id, name);
  EXPECT_TRUE(is_new) << name << " and " << at->second << " are both " << id;
}

template <class T, class R>
std::uint32_t call_id_of(Operation operation) {
  return operation == Operation::all_reduce       ? call_id<T>(Operation::all_reduce, reducer_id<R>())
         : operation == Operation::reduce_scatter ? call_id<T>(Operation::reduce_scatter, reducer_id<R>())
                                                  : call_id<T>(Operation::reduce, reducer_id<R>());
}

template <class T, class... R>
void add_reducers(Names& seen) {
  for (Operation const operation : {Operation::all_reduce, Operation::reduce_scatter, Operation::reduce}) {
    (expect_new(seen, call_id_of<T, R>(operation),
                std::string(to_string(operation)) + " " + std::string(element_name<T>()) + " " +
                    std::string(reducer_name<R>())),
     ...);
  }
}

template <class T>
void add_element(Names& seen) {
  add_reducers<T, Sum, Prod, Min, Max, BAnd, BOr, BXor, LAnd, LOr, MinLoc, MaxLoc, Average>(seen);
  expect_new(seen, call_id<T>(Operation::all_gather, 0), "all_gather " + std::string(element_name<T>()));
  expect_new(seen, call_id<T>(Operation::broadcast, 0), "broadcast " + std::string(element_name<T>()));
}

/// The cache of selections takes equal numbers for equal calls, and ranks compare them with KOINON_CHECK.
TEST(CallId, OfEveryOperationElementAndReducerIsANumberOfItsOwn) {
  Names seen;
  [&]<class... T>(std::tuple<T...>*) {
    (add_element<T>(seen), ...);
  }(static_cast<std::tuple<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                           std::int64_t, std::uint64_t, float, double, float16, bfloat16, float8_e4m3, float8_e5m2,
                           Complex<float>, Complex<double>>*>(nullptr));
  EXPECT_EQ(seen.size(), 17u * (3 * 12 + 2));
}

}  // namespace
}  // namespace Koinon::Impl
