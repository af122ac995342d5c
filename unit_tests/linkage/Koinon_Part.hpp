// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CoreWithoutMpi.hpp>
#include <support/Koinon_UserTypes.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace Koinon::Testing {

using Comm = Communicator<HostThread>;

/// Is a part of a program that was compiled, or linked, apart from the others: its compiler's view of Koinon, as calls.
/// All parts come from one source, part.cpp; what differs are the compiler and its options.
struct Part {
  std::string compiler;
  bool optimized;
  bool asserts;

  /// Gives sizes and offsets of what parts hand to each other.
  std::vector<std::size_t> (*layout)();
  Comm (*make)(Bootstrap&);
  /// Runs ranks of its own as threads; gives how many had right results.
  int (*run)(int ranks);

  // One call each, on this rank. The library holds the kernels of the first; each part instantiates the others'.
  void (*sum)(Comm const&, Algorithm, std::vector<float> const& in, std::vector<float>& out);
  void (*largest)(Comm const&, Algorithm, std::vector<std::int16_t>& in_place);
  void (*compose)(Comm const&, Algorithm, std::vector<Affine>& in_place);
  void (*scatter)(Comm const&, Algorithm, std::vector<double> const& in, std::vector<double>& out);
  void (*gather)(Comm const&, Algorithm, std::vector<Rgb> const& in, std::vector<Rgb>& out);
  void (*broadcast)(Comm const&, std::vector<Wide>& array, int root);
  void (*barrier)(Comm const&);

  /// Makes a call that is refused by InvalidArgument.
  void (*call_wrongly)(Comm const&);
  /// Gives why the same call cannot run.
  std::string (*why_not)(Comm const&);
  /// Catches what `body` throws, as this part sees the classes: "TimeoutError of the ranks 1 3: its message".
  std::string (*caught)(std::function<void()> const& body);
};

// Those of a program, as far as it links them.
Part const& part_optimized();
Part const& part_unoptimized();
Part const& part_clang();
Part const& part_nvcc();

}  // namespace Koinon::Testing
