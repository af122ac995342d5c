// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

/// How a kernel's arguments come to it on a host: packed as HIP packs them, one behind the other, each aligned.
namespace Koinon::Shim {

struct Kernel {
  std::vector<std::size_t> offsets;  // of the arguments in what is packed
  std::vector<std::size_t> sizes;
  std::size_t bytes = 0;
  void (*call)(std::byte const* packed) = nullptr;
};

/// Notes a kernel by its address. Returns it.
void const* enroll(void const* kernel, Kernel&& how);

template <auto kernel>
struct KernelOf;
template <class... Arguments, void (*kernel)(Arguments...)>
struct KernelOf<kernel> {
  static void const* enrolled() {
    static void const* const address = [] {
      Kernel how;
      (note<Arguments>(how), ...);
      how.call = call;
      return enroll(reinterpret_cast<void const*>(kernel), std::move(how));
    }();
    return address;
  }

 private:
  template <class Argument>
  static void note(Kernel& how) {
    how.bytes = (how.bytes + alignof(Argument) - 1) / alignof(Argument) * alignof(Argument);
    how.offsets.push_back(how.bytes);
    how.sizes.push_back(sizeof(Argument));
    how.bytes += sizeof(Argument);
  }
  static void call(std::byte const* packed) {
    std::size_t at = 0;
    auto const next = [&]<class Argument>(Argument const*) -> Argument const& {
      at = (at + alignof(Argument) - 1) / alignof(Argument) * alignof(Argument);
      auto const& argument = *reinterpret_cast<Argument const*>(packed + at);
      at += sizeof(Argument);
      return argument;
    };
    // In braces: from the first to the last.
    struct Call {
      Call(Arguments const&... arguments) { kernel(arguments...); }
    };
    (void)Call{next(static_cast<std::remove_const_t<Arguments> const*>(nullptr))...};
  }
};

/// Lanes of a wave: those that the program's kernels were compiled with.
[[nodiscard]] int wave();
bool have_waves_of(int count);

/// Is where the arguments of the kernel lie that this thread runs.
inline thread_local std::byte const* arguments = nullptr;

}  // namespace Koinon::Shim
