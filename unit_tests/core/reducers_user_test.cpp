// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <reducers/Koinon_ReducerTraits.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <set>
#include <string>
#include <vector>

namespace {

using Koinon::bfloat16;

template <class R, class T>
T reduce(R const& reducer, std::vector<T> const& ranks) {
  Koinon::ReducerTraits<R, T> const traits(reducer);
  auto accumulator = traits.first(ranks[0]);
  for (std::size_t rank = 1; rank < ranks.size(); ++rank) traits.join(accumulator, ranks[rank]);
  return traits.finish(accumulator, static_cast<int>(ranks.size()));
}

struct Interval {
  double low;
  double high;
};

/// Joins values, as the functors of most libraries do.
struct Hull {
  static Interval init() { return {1e300, -1e300}; }
  Interval join(Interval const& a, Interval const& b) const {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  }
};

/// Joins in place, as Kokkos's reducers do.
struct HullInPlace {
  void init(Interval& value) const { value = {1e300, -1e300}; }
  void join(Interval& into, Interval const& value) const {
    if (value.low < into.low) into.low = value.low;
    if (value.high > into.high) into.high = value.high;
  }
};

/// Keeps a run-time value, and takes any number.
struct ScaledSum {
  double scale;
  template <class T>
  T join(T const& a, T const& b) const {
    return static_cast<T>(a + static_cast<T>(scale) * b);
  }
};

/// Knows the narrow type only.
struct NarrowSum {
  bfloat16 join(bfloat16 const& a, bfloat16 const& b) const { return a + b; }
};

TEST(UserReducer, JoinsValuesOrInPlace) {
  std::vector<Interval> const ranks = {{0, 1}, {-2, 0.5}, {0.25, 7}};
  for (Interval const hull : {reduce(Hull{}, ranks), reduce(HullInPlace{}, ranks)}) {
    EXPECT_EQ(hull.low, -2);
    EXPECT_EQ(hull.high, 7);
  }
}

TEST(UserReducer, KeepsItsRunTimeState) {
  EXPECT_EQ(reduce(ScaledSum{2}, std::vector<double>{1, 10, 100}), 1 + 20 + 200);
  EXPECT_EQ(reduce(ScaledSum{-1}, std::vector<int>{1, 10, 100}), 1 - 10 - 100);
}

TEST(UserReducer, StartsWithRankZerosValueAndNotWithInit) {
  Interval const only = reduce(Hull{}, std::vector<Interval>{{3, 2}});
  EXPECT_EQ(only.low, 3);
  EXPECT_EQ(only.high, 2);
}

TEST(UserReducer, NarrowTypesAreJoinedInFloatWhereTheFunctorCan) {
  bfloat16 const small(0x1p-9f);
  std::vector const ranks = {bfloat16(1.0f), small, small, small, small};
  EXPECT_EQ(static_cast<float>(reduce(ScaledSum{1}, ranks)), 1.0f + 0x1p-7f);
  EXPECT_EQ(static_cast<float>(reduce(NarrowSum{}, ranks)), 1.0f) << "a functor of the narrow type rounds each step";
}

TEST(UserReducer, SeesTheUsersOwnComplexType) {
  using C = std::complex<double>;
  static_assert(std::same_as<Koinon::ReducerTraits<ScaledSum, C>::accumulator, C>);
  EXPECT_EQ(reduce(ScaledSum{1}, std::vector<C>{{1, 2}, {3, 4}}), C(4, 6));
}

struct ForeignSum {};
}  // namespace

namespace Koinon {

template <>
struct CanonicalReducer<ForeignSum> {
  using type = Sum;
};

}  // namespace Koinon

namespace {

TEST(CanonicalReducer, MapsAnotherLibrarysReducerToOurs) {
  static_assert(std::same_as<Koinon::canonical_reducer_t<ForeignSum const>, Koinon::Sum>);
  static_assert(Koinon::reducer_supports_v<ForeignSum, float>);
  static_assert(std::same_as<Koinon::ReducerTraits<ForeignSum, float>::reducer_type, Koinon::Sum>);
  EXPECT_EQ(Koinon::reducer_id<ForeignSum>(), Koinon::reducer_id<Koinon::Sum>());
}

TEST(ReducerRefusal, NamesTheReasonOfEachRefusedPair) {
  auto const says = [](std::string_view reason, char const* words) {
    return std::string(reason).find(words) != std::string::npos;
  };
  EXPECT_TRUE(says(Koinon::reducer_refusal<Koinon::BAnd, float>(), "integers"));
  EXPECT_TRUE(says(Koinon::reducer_refusal<Koinon::BXor, bfloat16>(), "integers"));
  EXPECT_TRUE(says(Koinon::reducer_refusal<Koinon::LOr, double>(), "integers"));
  EXPECT_TRUE(says(Koinon::reducer_refusal<Koinon::Min, std::complex<float>>(), "complex"));
  EXPECT_TRUE(says(Koinon::reducer_refusal<Koinon::MinLoc, float>(), "location"));
  EXPECT_TRUE(says(Koinon::reducer_refusal<Koinon::Sum, Interval>(), "user's reducer"));
  EXPECT_TRUE(says(Koinon::reducer_refusal<Koinon::Max, Koinon::ValueLocation<int, int>>(), "user's reducer"));
  EXPECT_TRUE(says(Koinon::reducer_refusal<Koinon::Average, bool>(), "bool"));
  EXPECT_TRUE(says(Koinon::reducer_refusal<Hull, float>(), "join"));
  EXPECT_TRUE(says(Koinon::reducer_refusal<Koinon::Sum, std::string>(), "trivially copyable"));
}

TEST(ReducerRefusal, IsEmptyForEverySupportedPair) {
  static_assert(Koinon::reducer_supports_v<Koinon::Sum, std::complex<double>>);
  static_assert(Koinon::reducer_supports_v<Koinon::Average, std::int64_t>);
  static_assert(Koinon::reducer_supports_v<Koinon::Min, Koinon::float8_e4m3>);
  static_assert(Koinon::reducer_supports_v<Koinon::BXor, bool>);
  static_assert(Koinon::reducer_supports_v<Koinon::LAnd, unsigned char>);
  static_assert(Koinon::reducer_supports_v<Koinon::MaxLoc, Koinon::ValueLocation<double, int>>);
  static_assert(Koinon::reducer_supports_v<Hull, Interval> && Koinon::reducer_supports_v<HullInPlace, Interval>);
  static_assert(Koinon::reducer_supports_v<NarrowSum, bfloat16>);
  SUCCEED();
}

TEST(ReducerName, IsTheWordOfTheCommandLineAndGivesDistinctIds) {
  EXPECT_EQ(Koinon::reducer_name<Koinon::Sum>(), "sum");
  EXPECT_EQ(Koinon::reducer_name<Koinon::Average>(), "average");
  EXPECT_EQ(Koinon::reducer_name<Koinon::MinLoc>(), "minloc");
  EXPECT_EQ(Koinon::reducer_name<Hull>(), "user");
  std::set<std::uint32_t> const ids = {Koinon::reducer_id<Koinon::Sum>(),
                                       Koinon::reducer_id<Koinon::Prod>(),
                                       Koinon::reducer_id<Koinon::Min>(),
                                       Koinon::reducer_id<Koinon::Max>(),
                                       Koinon::reducer_id<Koinon::BAnd>(),
                                       Koinon::reducer_id<Koinon::BOr>(),
                                       Koinon::reducer_id<Koinon::BXor>(),
                                       Koinon::reducer_id<Koinon::LAnd>(),
                                       Koinon::reducer_id<Koinon::LOr>(),
                                       Koinon::reducer_id<Koinon::MinLoc>(),
                                       Koinon::reducer_id<Koinon::MaxLoc>(),
                                       Koinon::reducer_id<Koinon::Average>(),
                                       Koinon::reducer_id<Hull>()};
  EXPECT_EQ(ids.size(), 13u);
}

}  // namespace
