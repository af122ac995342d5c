// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elements_oracle.hpp"
#include <elements/Koinon_Elements.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

// CUDA's headers convert on the host too, by code of their own: a second opinion that needs no device and no nvcc.
// KOINON_NO_CUDA_HEADERS: they are not there.
#if !defined(KOINON_NO_CUDA_HEADERS)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#endif

namespace {

#if defined(KOINON_NO_CUDA_HEADERS)

TEST(CudaTypes, HaveTheBitsOfOurs) { GTEST_SKIP() << "this machine has no CUDA headers"; }

#else

struct Half {
  using Ours = Koinon::float16;
  static __half make(float x) { return __float2half_rn(x); }
  static __half make(double x) { return __double2half(x); }
  static float widen(__half x) { return __half2float(x); }
};
struct Bfloat {
  using Ours = Koinon::bfloat16;
  static __nv_bfloat16 make(float x) { return __float2bfloat16_rn(x); }
  static __nv_bfloat16 make(double x) { return __double2bfloat16(x); }
  static float widen(__nv_bfloat16 x) { return __bfloat162float(x); }
};
template <class T, class Fp8, __nv_fp8_interpretation_t Kind>
struct Float8 {
  using Ours = T;
  static Fp8 make(float x) { return raw(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, Kind)); }
  static Fp8 make(double x) { return raw(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, Kind)); }
  static float widen(Fp8 x) { return static_cast<float>(x); }

 private:
  static Fp8 raw(__nv_fp8_storage_t bits) {
    Fp8 value;
    value.__x = bits;
    return value;
  }
};

template <class Theirs>
class CudaTypes : public testing::Test {};
using Kinds = testing::Types<Half, Bfloat, Float8<Koinon::float8_e4m3, __nv_fp8_e4m3, __NV_E4M3>,
                             Float8<Koinon::float8_e5m2, __nv_fp8_e5m2, __NV_E5M2>>;
TYPED_TEST_SUITE(CudaTypes, Kinds);

template <class To, class From>
To same_bytes(From const& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(static_cast<void*>(&to), &from, sizeof to);
  return to;
}

TYPED_TEST(CudaTypes, WidenEveryPatternAsOurs) {
  using Ours = typename TypeParam::Ours;
  using Theirs = decltype(TypeParam::make(0.0f));
  for (unsigned bits = 0; bits < Oracle::patterns<Ours>; ++bits) {
    auto const ours = Ours::from_bits(static_cast<typename Ours::storage_type>(bits));
    float const wide = TypeParam::widen(same_bytes<Theirs>(ours));
    if (std::isnan(wide)) {
      ASSERT_TRUE(std::isnan(static_cast<float>(ours))) << bits;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(static_cast<float>(ours)), std::bit_cast<std::uint32_t>(wide)) << bits;
    }
  }
}

TYPED_TEST(CudaTypes, RoundFloatsAndDoublesToTheSameBits) {
  using Ours = typename TypeParam::Ours;
  using Bits = typename Ours::storage_type;
  // The bits that are kept, the next one, and the rest: 0, just above, all ones.
  constexpr unsigned rest = 32 - (1 + 8 + Oracle::Shape<Ours>::mantissa_bits + 1);
  for (std::uint64_t top = 0; top < (std::uint64_t{1} << (32 - rest)); ++top) {
    for (std::uint32_t const low : {0u, 1u, (1u << rest) - 1}) {
      auto const x = std::bit_cast<float>((static_cast<std::uint32_t>(top) << rest) | low);
      ASSERT_EQ(Ours(x).bits(), same_bytes<Bits>(TypeParam::make(x))) << std::hexfloat << x;
      // A double beside the float: where one rounding and two differ. CUDA's software conversion of NaN doubles to
      // eight bits keeps their sign, or gives another pattern than that of floats: ours gives the latter's.
      if (std::isnan(x)) continue;
      double const y = std::nextafter(static_cast<double>(x), HUGE_VAL);
      ASSERT_EQ(Ours(y).bits(), same_bytes<Bits>(TypeParam::make(y))) << std::hexfloat << y;
    }
  }
}

#endif

}  // namespace
