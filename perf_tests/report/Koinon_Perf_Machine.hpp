// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace Koinon::Perf {

/// Returns what a reader must know to judge the times: processor, cores, those that rank 0 may use
/// (launchers bind), kernel, compiler. Nothing that names the machine itself.
std::vector<std::pair<std::string, std::string>> describe_machine();

}  // namespace Koinon::Perf
