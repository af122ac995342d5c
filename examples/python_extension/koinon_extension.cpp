// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dlpack.hpp"

#include <Koinon_Core.hpp>

#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>

namespace {

/// Says that a call into Python failed; Python's own error is set.
struct PythonError : std::runtime_error {
  PythonError() : std::runtime_error("a Python callback failed") {}
};

/// Lets ranks find each other through a Python callable: all_gather(bytes) -> bytes of all ranks, in rank order.
/// Used while a communicator is made, by the thread that makes it and holds the interpreter.
class PythonBootstrap final : public Koinon::Bootstrap {
 public:
  PythonBootstrap(int rank, int size, PyObject* all_gather) : m_rank(rank), m_size(size), m_all_gather(all_gather) {
    Py_INCREF(m_all_gather);
  }
  ~PythonBootstrap() override { Py_DECREF(m_all_gather); }
  PythonBootstrap(PythonBootstrap const&) = delete;
  PythonBootstrap& operator=(PythonBootstrap const&) = delete;

  [[nodiscard]] int rank() const override { return m_rank; }
  [[nodiscard]] int size() const override { return m_size; }
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) override {
    PyObject* const argument =
        PyBytes_FromStringAndSize(reinterpret_cast<char const*>(mine.data()), static_cast<Py_ssize_t>(mine.size()));
    if (argument == nullptr) throw PythonError();
    PyObject* const result = PyObject_CallFunctionObjArgs(m_all_gather, argument, nullptr);
    Py_DECREF(argument);
    if (result == nullptr) throw PythonError();
    char* bytes = nullptr;
    Py_ssize_t length = 0;
    bool const good = PyBytes_AsStringAndSize(result, &bytes, &length) == 0;
    if (good && static_cast<std::size_t>(length) == all.size()) std::memcpy(all.data(), bytes, all.size());
    Py_DECREF(result);
    if (!good) throw PythonError();
    if (static_cast<std::size_t>(length) != all.size()) throw std::runtime_error("all_gather gave a wrong number of bytes");
  }
  void barrier() override {
    std::byte const mine{};
    auto const all = std::make_unique<std::byte[]>(static_cast<std::size_t>(m_size));
    all_gather(std::span(&mine, 1), std::span(all.get(), static_cast<std::size_t>(m_size)));
  }

 private:
  int m_rank;
  int m_size;
  PyObject* m_all_gather;
};

struct PythonCommunicator {
  PyObject_HEAD;
  std::optional<Koinon::Communicator<Koinon::HostThread>>* communicator;
};

/// Runs what may throw; turns a C++ error into Python's. Returns whether all went well.
template <class F>
bool guarded(F&& f) {
  try {
    f();
    return true;
  } catch (PythonError const&) {
  } catch (std::bad_alloc const&) {
    PyErr_NoMemory();
  } catch (std::exception const& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return false;
}

/// Runs what may throw without holding the interpreter, since it waits for other ranks.
template <class F>
bool guarded_without_interpreter(F&& f) {
  return guarded([&] {
    struct Released {
      PyThreadState* state = PyEval_SaveThread();
      ~Released() { PyEval_RestoreThread(state); }
    } const released;
    f();
  });
}

int initialize(PyObject* self, PyObject* arguments, PyObject* /*keywords*/) {
  int rank = 0;
  int size = 0;
  PyObject* all_gather = nullptr;
  if (!PyArg_ParseTuple(arguments, "iiO:Communicator", &rank, &size, &all_gather)) return -1;
  auto* const object = reinterpret_cast<PythonCommunicator*>(self);
  bool const good = guarded([&] {
    PythonBootstrap bootstrap(rank, size, all_gather);
    if (object->communicator == nullptr) object->communicator = new std::optional<Koinon::Communicator<Koinon::HostThread>>();
    object->communicator->emplace(Koinon::HostThread(), bootstrap);
  });
  return good ? 0 : -1;
}

void finalize(PyObject* self) {
  auto* const object = reinterpret_cast<PythonCommunicator*>(self);
  Py_BEGIN_ALLOW_THREADS;
  delete object->communicator;
  Py_END_ALLOW_THREADS;
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

template <class T>
void sum(Koinon::Communicator<Koinon::HostThread> const& comm, BorrowedArray const& in, BorrowedArray const& out) {
  Koinon::Array<T const, 1> const source(static_cast<T const*>(in.data()), in.size());
  Koinon::Array<T, 1> const target(static_cast<T*>(out.data()), out.size());
  Koinon::all_reduce("python", Koinon::CollectivePolicy(comm), source, target);
}

PyObject* all_reduce(PyObject* self, PyObject* arguments) {
  PyObject* in_object = nullptr;
  PyObject* out_object = nullptr;
  if (!PyArg_ParseTuple(arguments, "OO:all_reduce", &in_object, &out_object)) return nullptr;
  auto const* const object = reinterpret_cast<PythonCommunicator*>(self);
  if (object->communicator == nullptr || !*object->communicator) {
    PyErr_SetString(PyExc_RuntimeError, "this communicator was not made");
    return nullptr;
  }
  BorrowedArray const in(in_object);
  if (!in) return nullptr;
  BorrowedArray const out(out_object);
  if (!out) return nullptr;
  auto const& comm = **object->communicator;
  if (!in.same_elements(out)) {
    PyErr_SetString(PyExc_ValueError, "in and out differ in size or element type");
    return nullptr;
  }
  bool good = false;
  if (in.holds('f', 32)) {
    good = guarded_without_interpreter([&] { sum<float>(comm, in, out); });
  } else if (in.holds('f', 64)) {
    good = guarded_without_interpreter([&] { sum<double>(comm, in, out); });
  } else if (in.holds('i', 64)) {
    good = guarded_without_interpreter([&] { sum<std::int64_t>(comm, in, out); });
  } else {
    PyErr_SetString(PyExc_TypeError, "all_reduce of this module takes float32, float64 and int64");
  }
  if (!good) return nullptr;
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"all_reduce", all_reduce, METH_VARARGS, "all_reduce(in, out): the sum over ranks, into every rank's out"},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {{Py_tp_init, reinterpret_cast<void*>(initialize)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(finalize)},
                       {Py_tp_methods, methods},
                       {0, nullptr}};

PyType_Spec communicator_type = {"koinon_extension.Communicator", sizeof(PythonCommunicator), 0, Py_TPFLAGS_DEFAULT, slots};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "koinon_extension", "Koinon's all_reduce on DLPack arrays", -1,
                      nullptr, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_koinon_extension() {
  PyObject* const self = PyModule_Create(&definition);
  if (self == nullptr) return nullptr;
  PyObject* const type = PyType_FromSpec(&communicator_type);
  if (type == nullptr || PyModule_AddObject(self, "Communicator", type) < 0) {
    Py_XDECREF(type);
    Py_DECREF(self);
    return nullptr;
  }
  return self;
}
