// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Perf_Element.hpp>
#include <Koinon_Perf_MpiTypes.hpp>
#include <reducers/Koinon_Reducers.hpp>

#include <map>
#include <stdexcept>
#include <utility>

namespace Koinon::Perf {

namespace {

/// Joins narrow floats as MPI asks for it: inout = in (lower ranks) joined with inout.
template <class T, class Reducer>
void join_narrow(void* in, void* inout, int* count, MPI_Datatype*) {
  auto const* const lower = static_cast<T const*>(in);
  auto* const upper = static_cast<T*>(inout);
  for (int i = 0; i < *count; ++i) upper[i] = round_to<T>(Reducer::join(widen(lower[i]), widen(upper[i])));
}

template <class T>
MPI_User_function* narrow_function(ReducerName reducer) {
  switch (reducer) {
    case ReducerName::sum:
    case ReducerName::average:
      return join_narrow<T, Sum>;
    case ReducerName::prod:
      return join_narrow<T, Prod>;
    case ReducerName::min:
      return join_narrow<T, Min>;
    case ReducerName::max:
      return join_narrow<T, Max>;
    default:
      throw std::invalid_argument("a bitwise reducer needs an integer type");
  }
}

MPI_User_function* narrow_function(ElementType type, ReducerName reducer) {
  switch (type) {
    case ElementType::f16:
      return narrow_function<float16>(reducer);
    case ElementType::bf16:
      return narrow_function<bfloat16>(reducer);
    case ElementType::f8_e4m3:
      return narrow_function<float8_e4m3>(reducer);
    default:
      return narrow_function<float8_e5m2>(reducer);
  }
}

template <class T>
void divide_elements(void* elements, std::size_t count, int ranks) {
  auto* const values = static_cast<T*>(elements);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (std::is_integral_v<T>)
      values[i] = static_cast<T>(values[i] / static_cast<T>(ranks));
    else
      values[i] = round_to<T>(widen(values[i]) / static_cast<accumulator_t<T>>(ranks));
  }
}

}  // namespace

MPI_Datatype mpi_type(ElementType type) {
  switch (type) {
    case ElementType::f32:
      return MPI_FLOAT;
    case ElementType::f64:
      return MPI_DOUBLE;
    case ElementType::i32:
      return MPI_INT32_T;
    case ElementType::u32:
      return MPI_UINT32_T;
    case ElementType::i64:
      return MPI_INT64_T;
    case ElementType::u64:
      return MPI_UINT64_T;
    case ElementType::f16:
    case ElementType::bf16:
      return MPI_UINT16_T;
    default:
      return MPI_UINT8_T;
  }
}

bool has_mpi_type(ElementType type) {
  return bytes_of(type) >= 4;
}

MPI_Op mpi_op(ElementType type, ReducerName reducer) {
  if (has_mpi_type(type)) {
    switch (reducer) {
      case ReducerName::prod:
        return MPI_PROD;
      case ReducerName::min:
        return MPI_MIN;
      case ReducerName::max:
        return MPI_MAX;
      case ReducerName::band:
        return MPI_BAND;
      case ReducerName::bor:
        return MPI_BOR;
      case ReducerName::bxor:
        return MPI_BXOR;
      default:
        return MPI_SUM;
    }
  }
  static std::map<std::pair<ElementType, ReducerName>, MPI_Op> made;  // as long as MPI: few, and used by many rows
  auto const [place, is_new] = made.try_emplace({type, reducer}, MPI_OP_NULL);
  if (is_new) MPI_Op_create(narrow_function(type, reducer), 1, &place->second);
  return place->second;
}

void divide(ElementType type, void* elements, std::size_t count, int ranks) {
  switch (type) {
    case ElementType::f32:
      return divide_elements<float>(elements, count, ranks);
    case ElementType::f64:
      return divide_elements<double>(elements, count, ranks);
    case ElementType::i32:
      return divide_elements<std::int32_t>(elements, count, ranks);
    case ElementType::u32:
      return divide_elements<std::uint32_t>(elements, count, ranks);
    case ElementType::i64:
      return divide_elements<std::int64_t>(elements, count, ranks);
    case ElementType::u64:
      return divide_elements<std::uint64_t>(elements, count, ranks);
    case ElementType::f16:
      return divide_elements<float16>(elements, count, ranks);
    case ElementType::bf16:
      return divide_elements<bfloat16>(elements, count, ranks);
    case ElementType::f8_e4m3:
      return divide_elements<float8_e4m3>(elements, count, ranks);
    case ElementType::f8_e5m2:
      return divide_elements<float8_e5m2>(elements, count, ranks);
  }
}

}  // namespace Koinon::Perf
