// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Array.hpp>
#include <Koinon_Macros.hpp>

#include <cstddef>
#include <type_traits>

namespace Koinon::Impl {

/// Is the first rows of an array of any type and shape as the bytes that it has, numbered in row-major order of the
/// indices: for moves, which look at none. Neighbouring bytes make runs; a dense array is one run.
struct ByteOperand {
  std::byte* pointer = nullptr;
  std::size_t count = 0;
  std::size_t run = 0;
  int rank = 0;  // dimensions of runs, the innermost first; the rest is never read, nor cleared at every call
  std::size_t extents[8];
  std::ptrdiff_t strides[8];  // in bytes

  ByteOperand() {}  // NOLINT(modernize-use-equals-default): `= default` would clear both in `ByteOperand{}`

  /// Refers to bytes that all lie together.
  KOINON_FORCE_INLINE ByteOperand(std::byte* p, std::size_t bytes) : pointer(p), count(bytes), run(bytes) {}

  template <class T, int Rank>
  ByteOperand(Array<T, Rank> const& a, std::size_t rows)
      : pointer(reinterpret_cast<std::byte*>(const_cast<std::remove_const_t<T>*>(a.pointer))),
        count(sizeof(T)),
        run(sizeof(T)) {
    for (int d = Rank - 1; d >= 0; --d) {
      std::size_t const extent = d == 0 ? rows : a.extents[d];
      std::ptrdiff_t const stride = a.strides[d] * static_cast<std::ptrdiff_t>(sizeof(T));
      count *= extent;
      if (extent == 1) continue;
      if (rank == 0 && stride == static_cast<std::ptrdiff_t>(run)) {
        run *= extent;
      } else if (rank > 0 && stride == static_cast<std::ptrdiff_t>(extents[rank - 1]) * strides[rank - 1]) {
        extents[rank - 1] *= extent;
      } else {
        extents[rank] = extent;
        strides[rank] = stride;
        ++rank;
      }
    }
    if constexpr (Rank == 0) count *= rows;
  }

  [[nodiscard]] KOINON_FORCE_INLINE bool is_dense() const { return rank == 0; }

  /// Copies n bytes from i on to dense memory, or from there.
  KOINON_CALLED_FUNCTION void load(std::byte* to, std::size_t i, std::size_t n) const {
    for_each_run(i, n,
                 [&](std::byte* at, std::size_t done, std::size_t bytes) { __builtin_memcpy(to + done, at, bytes); });
  }
  KOINON_CALLED_FUNCTION void store(std::size_t i, std::byte const* from, std::size_t n) const {
    for_each_run(i, n,
                 [&](std::byte* at, std::size_t done, std::size_t bytes) { __builtin_memcpy(at, from + done, bytes); });
  }

 private:
  /// Calls f(address, bytes before, bytes) for the pieces of [i, i + n) that lie together.
  template <class F>
  KOINON_FORCE_INLINE void for_each_run(std::size_t i, std::size_t n, F&& f) const {
    if (rank == 0) {
      if (n > 0) f(pointer + i, 0, n);
      return;
    }
    std::size_t at[8];
    std::size_t index = i / run;
    std::size_t within = i - index * run;
    std::ptrdiff_t offset = 0;
    for (int d = 0; d < rank; ++d) {
      std::size_t const outer = index / extents[d];
      at[d] = index - outer * extents[d];
      index = outer;
      offset += static_cast<std::ptrdiff_t>(at[d]) * strides[d];
    }
    for (std::size_t done = 0; done < n;) {
      std::size_t const left = n - done;
      std::size_t const bytes = run - within < left ? run - within : left;
      f(pointer + offset + static_cast<std::ptrdiff_t>(within), done, bytes);
      done += bytes;
      within = 0;
      for (int d = 0; d < rank; ++d) {
        offset += strides[d];
        if (++at[d] < extents[d]) break;
        offset -= static_cast<std::ptrdiff_t>(at[d]) * strides[d];
        at[d] = 0;
      }
    }
  }
};

}  // namespace Koinon::Impl
