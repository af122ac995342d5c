// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>

/// Holds a Python array for the time of a call: its memory, by the DLPack protocol (`__dlpack__`).
///
/// Takes dense arrays in CPU memory; anything else sets a Python error and leaves the object false.
class BorrowedArray {
 public:
  explicit BorrowedArray(PyObject* array);
  ~BorrowedArray();
  BorrowedArray(BorrowedArray const&) = delete;
  BorrowedArray& operator=(BorrowedArray const&) = delete;

  explicit operator bool() const { return m_capsule != nullptr; }
  [[nodiscard]] void* data() const { return m_data; }
  [[nodiscard]] std::size_t size() const { return m_size; }
  /// Whether elements are of kind `code` ('i', 'u' or 'f') and this width.
  [[nodiscard]] bool holds(char code, int bits) const { return m_code == code && m_bits == bits; }
  [[nodiscard]] bool same_elements(BorrowedArray const& other) const {
    return m_code == other.m_code && m_bits == other.m_bits && m_size == other.m_size;
  }

 private:
  PyObject* m_capsule = nullptr;
  void* m_data = nullptr;
  std::size_t m_size = 0;
  char m_code = 0;
  int m_bits = 0;
};
