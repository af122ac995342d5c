// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaWords.hpp>
#include <elements/Koinon_Elements.hpp>
#include <reducers/Koinon_ReducerTraits.hpp>

#include <cstdint>
#include <type_traits>

namespace Koinon::Impl {

#define KOINON_LOAD_REDUCE(form) \
  KOINON_PTX("multimem.ld_reduce.relaxed.sys.global." form " %0, [%1];" : KOINON_REDUCED(value) : "l"(at) : "memory")
#define KOINON_LOAD_REDUCE_VECTOR(form)                                                                   \
  KOINON_PTX("multimem.ld_reduce.relaxed.sys.global." form " {%0, %1, %2, %3}, [%4];"                     \
             : "=r"(v.words[0]), "=r"(v.words[1]), "=r"(v.words[2]), "=r"(v.words[3]) : "l"(at) : "memory")

/// The forms of `multimem.ld_reduce` for T and R: which of them `multicast_refusal` allows. sm_90 and up.
///
/// A unit is the smallest access: the element, or two of a half type. Sums of half types are accumulated in float and
/// rounded once. Signed 64-bit sums have the bits of unsigned ones.
template <class T, class R>
struct CudaMultimemForms {
  using Element = canonical_element_t<T>;
  using Reducer = canonical_reducer_t<R>;
  using Unit = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

  static constexpr bool sum = std::is_same_v<Reducer, Sum> || std::is_same_v<Reducer, Average>;
  static constexpr bool least = std::is_same_v<Reducer, Min>;
  static constexpr bool is_float16 = std::is_same_v<Element, float16>;
  static constexpr bool is_bfloat16 = std::is_same_v<Element, bfloat16>;
  static constexpr bool has_vector = is_float16 || is_bfloat16 || std::is_same_v<Element, float>;

  /// @pre `at` is a multicast address and a multiple of 16
  [[nodiscard]] static KOINON_FORCE_INLINE CudaVector load_vector([[maybe_unused]] void const* at)
    requires has_vector
  {
    CudaVector v{};
    if constexpr (std::is_same_v<Element, float>) {
      KOINON_LOAD_REDUCE_VECTOR("add.v4.f32");
    } else if constexpr (is_bfloat16) {
      if constexpr (sum) {
        KOINON_LOAD_REDUCE_VECTOR("add.acc::f32.v4.bf16x2");
      } else if constexpr (least) {
        KOINON_LOAD_REDUCE_VECTOR("min.v4.bf16x2");
      } else {
        KOINON_LOAD_REDUCE_VECTOR("max.v4.bf16x2");
      }
    } else {
      if constexpr (sum) {
        KOINON_LOAD_REDUCE_VECTOR("add.acc::f32.v4.f16x2");
      } else if constexpr (least) {
        KOINON_LOAD_REDUCE_VECTOR("min.v4.f16x2");
      } else {
        KOINON_LOAD_REDUCE_VECTOR("max.v4.f16x2");
      }
    }
    return v;
  }

  /// @pre `at` is a multicast address and a multiple of the unit
  [[nodiscard]] static KOINON_FORCE_INLINE Unit load_unit([[maybe_unused]] void const* at) {
    Unit value = 0;
    if constexpr (sizeof(Unit) == 4) {
      load_4_bytes(value, at);
    } else {
      load_8_bytes(value, at);
    }
    return value;
  }

 private:
#define KOINON_REDUCED(value) "=r"(value)
  static KOINON_FORCE_INLINE void load_4_bytes(std::uint32_t& value, [[maybe_unused]] void const* at) {
    if constexpr (is_bfloat16 && sum) {
      KOINON_LOAD_REDUCE("add.acc::f32.bf16x2");
    } else if constexpr (is_bfloat16 && least) {
      KOINON_LOAD_REDUCE("min.bf16x2");
    } else if constexpr (is_bfloat16) {
      KOINON_LOAD_REDUCE("max.bf16x2");
    } else if constexpr (is_float16 && sum) {
      KOINON_LOAD_REDUCE("add.acc::f32.f16x2");
    } else if constexpr (is_float16 && least) {
      KOINON_LOAD_REDUCE("min.f16x2");
    } else if constexpr (is_float16) {
      KOINON_LOAD_REDUCE("max.f16x2");
    } else if constexpr (std::is_same_v<Element, float>) {
      KOINON_LOAD_REDUCE("add.f32");
    } else if constexpr (std::is_same_v<Reducer, BAnd>) {
      KOINON_LOAD_REDUCE("and.b32");
    } else if constexpr (std::is_same_v<Reducer, BOr>) {
      KOINON_LOAD_REDUCE("or.b32");
    } else if constexpr (std::is_same_v<Reducer, BXor>) {
      KOINON_LOAD_REDUCE("xor.b32");
    } else if constexpr (sum) {
      KOINON_LOAD_REDUCE("add.u32");
    } else if constexpr (std::is_signed_v<Element> && least) {
      KOINON_LOAD_REDUCE("min.s32");
    } else if constexpr (std::is_signed_v<Element>) {
      KOINON_LOAD_REDUCE("max.s32");
    } else if constexpr (least) {
      KOINON_LOAD_REDUCE("min.u32");
    } else {
      KOINON_LOAD_REDUCE("max.u32");
    }
  }
#undef KOINON_REDUCED
#define KOINON_REDUCED(value) "=l"(value)
  static KOINON_FORCE_INLINE void load_8_bytes(std::uint64_t& value, [[maybe_unused]] void const* at) {
    if constexpr (std::is_same_v<Element, double>) {
      KOINON_LOAD_REDUCE("add.f64");
    } else if constexpr (std::is_same_v<Reducer, BAnd>) {
      KOINON_LOAD_REDUCE("and.b64");
    } else if constexpr (std::is_same_v<Reducer, BOr>) {
      KOINON_LOAD_REDUCE("or.b64");
    } else if constexpr (std::is_same_v<Reducer, BXor>) {
      KOINON_LOAD_REDUCE("xor.b64");
    } else if constexpr (sum) {
      KOINON_LOAD_REDUCE("add.u64");
    } else if constexpr (std::is_signed_v<Element> && least) {
      KOINON_LOAD_REDUCE("min.s64");
    } else if constexpr (std::is_signed_v<Element>) {
      KOINON_LOAD_REDUCE("max.s64");
    } else if constexpr (least) {
      KOINON_LOAD_REDUCE("min.u64");
    } else {
      KOINON_LOAD_REDUCE("max.u64");
    }
  }
#undef KOINON_REDUCED
};

#undef KOINON_LOAD_REDUCE
#undef KOINON_LOAD_REDUCE_VECTOR

/// The forms of `multimem.st`: they keep every bit whatever the type says. sm_90 and up.
struct CudaMultimemStores {
  /// @pre `at` is a multicast address and a multiple of 16
  static KOINON_FORCE_INLINE void store_vector([[maybe_unused]] void* at, [[maybe_unused]] CudaVector const& v) {
    KOINON_PTX("multimem.st.relaxed.sys.global.v4.f32 [%0], {%1, %2, %3, %4};"
               : : "l"(at), "r"(v.words[0]), "r"(v.words[1]), "r"(v.words[2]), "r"(v.words[3]) : "memory");
  }
  /// @pre `at` is a multicast address and a multiple of 8
  static KOINON_FORCE_INLINE void store_pair([[maybe_unused]] void* at, [[maybe_unused]] std::uint64_t words) {
    KOINON_PTX("multimem.st.relaxed.sys.global.b64 [%0], %1;" : : "l"(at), "l"(words) : "memory");
  }
  /// @pre `at` is a multicast address and a multiple of 4
  static KOINON_FORCE_INLINE void store_word([[maybe_unused]] void* at, [[maybe_unused]] std::uint32_t word) {
    KOINON_PTX("multimem.st.relaxed.sys.global.b32 [%0], %1;" : : "l"(at), "r"(word) : "memory");
  }
};

}  // namespace Koinon::Impl
