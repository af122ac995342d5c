// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dlpack.hpp"

namespace {

// The memory layout that the DLPack protocol fixes (its version 0, which every library still hands out).
struct Device {
  std::int32_t type;
  std::int32_t id;
};
struct DataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};
struct Tensor {
  void* data;
  Device device;
  std::int32_t dimensions;
  DataType type;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
struct ManagedTensor {
  Tensor tensor;
  void* owner;
  void (*release)(ManagedTensor*);
};
constexpr std::int32_t cpu = 1;
constexpr char capsule_name[] = "dltensor";
constexpr char codes[] = {'i', 'u', 'f'};

std::size_t elements(Tensor const& tensor) {
  std::size_t count = 1;
  for (int d = 0; d < tensor.dimensions; ++d) count *= static_cast<std::size_t>(tensor.shape[d]);
  return count;
}

bool dense(Tensor const& tensor) {
  if (tensor.strides == nullptr || elements(tensor) == 0) return true;
  std::int64_t expected = 1;
  for (int d = tensor.dimensions - 1; d >= 0; --d) {
    if (tensor.shape[d] != 1 && tensor.strides[d] != expected) return false;
    expected *= tensor.shape[d];
  }
  return true;
}

}  // namespace

BorrowedArray::BorrowedArray(PyObject* array) {
  PyObject* const capsule = PyObject_CallMethod(array, "__dlpack__", nullptr);
  if (capsule == nullptr) return;
  auto* const managed = static_cast<ManagedTensor*>(PyCapsule_GetPointer(capsule, capsule_name));
  char const* refusal = nullptr;
  if (managed != nullptr) {
    Tensor const& tensor = managed->tensor;
    if (tensor.device.type != cpu) refusal = "the array is not in CPU memory";
    if (!dense(tensor)) refusal = "the array is not dense and row-major";
    if (tensor.type.lanes != 1 || tensor.type.code >= sizeof codes) refusal = "the array's element type is not a number";
    if (refusal == nullptr) {
      m_capsule = capsule;
      m_data = static_cast<char*>(tensor.data) + tensor.byte_offset;
      m_size = elements(tensor);
      m_code = codes[tensor.type.code];
      m_bits = tensor.type.bits;
      return;
    }
    PyErr_SetString(PyExc_ValueError, refusal);
  }
  Py_DECREF(capsule);
}

// A capsule that keeps its name still owns the tensor and releases it with itself.
BorrowedArray::~BorrowedArray() { Py_XDECREF(m_capsule); }
