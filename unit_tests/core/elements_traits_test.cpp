// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <elements/Koinon_Elements.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <set>

namespace {

/// Stand for the half types of another library: two classes in one build ...
struct ForeignHalf {
  std::uint16_t storage;
};
struct ForeignBrainHalf {
  std::uint16_t storage;
};
/// ... and two names of float in another.
using ForeignHalfAsFloat = float;
using ForeignBrainHalfAsFloat = float;

struct Particle {
  double position[3];
  int charge;
};

}  // namespace

namespace Koinon {

template <class T>
requires(sizeof(T) == 2 &&
         (std::same_as<T, ForeignHalf> || std::same_as<T, ForeignBrainHalf>)) struct CanonicalElement<T> {
  using type = std::conditional_t<std::same_as<T, ForeignHalf>, float16, bfloat16>;
};

template <class T>
requires(sizeof(T) == 2 &&
         (std::same_as<T, ForeignHalfAsFloat> || std::same_as<T, ForeignBrainHalfAsFloat>)) struct CanonicalElement<T> {
  using type = std::conditional_t<std::same_as<T, ForeignHalfAsFloat>, float16, bfloat16>;
};

}  // namespace Koinon

namespace {

using Koinon::canonical_element_t;

TEST(CanonicalElement, IntegersOfEqualWidthAndSignAreOneType) {
  static_assert(std::same_as<canonical_element_t<long>, std::int64_t>);
  static_assert(std::same_as<canonical_element_t<long long>, std::int64_t>);
  static_assert(std::same_as<canonical_element_t<unsigned long long>, std::uint64_t>);
  static_assert(std::same_as<canonical_element_t<signed char>, std::int8_t>);
  static_assert(std::same_as<canonical_element_t<char8_t>, std::uint8_t>);
  static_assert(std::same_as<canonical_element_t<bool>, bool>);
  static_assert(std::same_as<canonical_element_t<float const>, float>);
  static_assert(std::same_as<canonical_element_t<Particle>, Particle>);
  SUCCEED();
}

TEST(CanonicalElement, ForeignHalvesAreOursByOneConstrainedSpecialization) {
  static_assert(std::same_as<canonical_element_t<ForeignHalf>, Koinon::float16>);
  static_assert(std::same_as<canonical_element_t<ForeignBrainHalf>, Koinon::bfloat16>);
  static_assert(std::same_as<canonical_element_t<float>, float>, "a name that is float here stays float");
  static_assert(std::same_as<Koinon::accumulator_t<ForeignHalf>, float>);
  EXPECT_EQ(Koinon::widen(ForeignHalf{0x3e00}), 1.5f);
  EXPECT_EQ(Koinon::round_to<ForeignHalf>(-2.0f).storage, 0xc000);
  EXPECT_EQ(Koinon::element_id<ForeignHalf>(), Koinon::element_id<Koinon::float16>());
}

TEST(CanonicalElement, ComplexNumbersKeepTheirLayout) {
  using Complex = canonical_element_t<std::complex<double>>;
  static_assert(sizeof(Complex) == 16 && std::is_trivially_copyable_v<Complex>);
  Complex const wide = Koinon::widen(std::complex<double>(3, -4));
  EXPECT_EQ(wide.re, 3);
  EXPECT_EQ(wide.im, -4);
  EXPECT_EQ(Koinon::round_to<std::complex<double>>(wide * wide), std::complex<double>(-7, -24));
  EXPECT_EQ(Koinon::round_to<std::complex<double>>(wide + wide), std::complex<double>(6, -8));
  EXPECT_EQ(Koinon::round_to<std::complex<double>>(wide / 2.0), std::complex<double>(1.5, -2));
}

TEST(Accumulator, IsFloatForNarrowTypesAndTheElementItselfForOthers) {
  static_assert(std::same_as<Koinon::accumulator_t<Koinon::float16>, float>);
  static_assert(std::same_as<Koinon::accumulator_t<Koinon::bfloat16>, float>);
  static_assert(std::same_as<Koinon::accumulator_t<Koinon::float8_e4m3>, float>);
  static_assert(std::same_as<Koinon::accumulator_t<Koinon::float8_e5m2>, float>);
  static_assert(std::same_as<Koinon::accumulator_t<float>, float>);
  static_assert(std::same_as<Koinon::accumulator_t<double>, double>);
  static_assert(std::same_as<Koinon::accumulator_t<std::int16_t>, std::int16_t>);
  static_assert(std::same_as<Koinon::accumulator_t<Particle>, Particle>);
  EXPECT_EQ(Koinon::widen(Koinon::bfloat16(1.25f)), 1.25f);
  EXPECT_EQ(Koinon::round_to<Koinon::bfloat16>(1.0f + 0x1p-8f).bits(), Koinon::bfloat16(1.0f).bits());
  EXPECT_EQ(Koinon::widen(7LL), 7);
}

TEST(ElementKind, TellsRealsIntegersComplexAndUserTypes) {
  using enum Koinon::ElementKind;
  static_assert(Koinon::is_floating_element_v<float> && Koinon::is_floating_element_v<double>);
  static_assert(Koinon::is_floating_element_v<Koinon::float8_e5m2> && Koinon::is_floating_element_v<ForeignHalf>);
  static_assert(!Koinon::is_floating_element_v<int> && !Koinon::is_floating_element_v<std::complex<float>>);
  static_assert(Koinon::element_kind_v<bool> == boolean && Koinon::element_kind_v<long long> == integer);
  static_assert(Koinon::element_kind_v<std::complex<float>> == complex);
  static_assert(Koinon::element_kind_v<Particle> == user && Koinon::element_kind_v<long double> == user);
  static_assert(Koinon::is_narrow_element_v<Koinon::float16> && !Koinon::is_narrow_element_v<float>);
  SUCCEED();
}

TEST(ElementConcept, TakesWhatIsItsBytes) {
  static_assert(Koinon::Element<Particle> && Koinon::Element<std::complex<float>> && Koinon::Element<Koinon::float16>);
  static_assert(!Koinon::Element<std::set<int>> && !Koinon::Element<int&> && !Koinon::Element<int[2]>);
  SUCCEED();
}

TEST(ElementName, IsTheWordOfTheCommandLine) {
  EXPECT_EQ(Koinon::element_name<float>(), "float");
  EXPECT_EQ(Koinon::element_name<double>(), "double");
  EXPECT_EQ(Koinon::element_name<int>(), "int32");
  EXPECT_EQ(Koinon::element_name<unsigned>(), "uint32");
  EXPECT_EQ(Koinon::element_name<long long>(), "int64");
  EXPECT_EQ(Koinon::element_name<unsigned long>(), sizeof(long) == 8 ? "uint64" : "uint32");
  EXPECT_EQ(Koinon::element_name<Koinon::float16>(), "float16");
  EXPECT_EQ(Koinon::element_name<Koinon::bfloat16>(), "bfloat16");
  EXPECT_EQ(Koinon::element_name<Koinon::float8_e4m3>(), "float8_e4m3");
  EXPECT_EQ(Koinon::element_name<Koinon::float8_e5m2>(), "float8_e5m2");
  EXPECT_EQ(Koinon::element_name<std::complex<float>>(), "complex_float");
  EXPECT_EQ(Koinon::element_name<std::complex<double>>(), "complex_double");
  EXPECT_EQ(Koinon::element_name<std::int8_t>(), "int8");
  EXPECT_EQ(Koinon::element_name<std::uint16_t>(), "uint16");
  EXPECT_EQ(Koinon::element_name<bool>(), "bool");
  EXPECT_EQ(Koinon::element_name<Particle>(), "user");
}

TEST(ElementId, DiffersBetweenTypesAndIsAFixedNumber) {
  std::set<std::uint32_t> const ids = {
      Koinon::element_id<float>(),
      Koinon::element_id<double>(),
      Koinon::element_id<std::int8_t>(),
      Koinon::element_id<std::uint8_t>(),
      Koinon::element_id<std::int16_t>(),
      Koinon::element_id<std::uint16_t>(),
      Koinon::element_id<std::int32_t>(),
      Koinon::element_id<std::uint32_t>(),
      Koinon::element_id<std::int64_t>(),
      Koinon::element_id<std::uint64_t>(),
      Koinon::element_id<Koinon::float16>(),
      Koinon::element_id<Koinon::bfloat16>(),
      Koinon::element_id<Koinon::float8_e4m3>(),
      Koinon::element_id<Koinon::float8_e5m2>(),
      Koinon::element_id<std::complex<float>>(),
      Koinon::element_id<std::complex<double>>(),
      Koinon::element_id<bool>(),
      Koinon::element_id<Particle>(),
      Koinon::element_id<std::pair<char, char>>(),
  };
  EXPECT_EQ(ids.size(), 19u);
  EXPECT_EQ(Koinon::element_id<float>(), 0xa6c45d85u) << "FNV-1a of \"float\": ranks of different builds compare it";
}

}  // namespace
