// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Perf_Result.hpp>

#include <nlohmann/json.hpp>

#include <string>

namespace Koinon::Perf {

/// Returns {"machine", "command", "results"} as docs and the compare script know it.
nlohmann::ordered_json to_json(Report const& report);

/// Makes sure, before anything is measured, that a file can be written; it exists and is empty afterwards.
/// @throws FileError with the system's reason
void claim_file(std::string const& file);

/// @throws FileError when the text cannot be written as a whole
void write_file(std::string const& file, std::string const& text);

}  // namespace Koinon::Perf
