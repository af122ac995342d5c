// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace Koinon::Perf {

/// Parses JSON text and remembers where things stand: every object gets the member "@lines", which maps each of its
/// keys to the line of that key, and "" to the line of the object itself.
/// @throws FileError "name:line: reason"
nlohmann::ordered_json parse_json_with_lines(std::string_view text, std::string const& name);

/// Returns the line of a key of an object that came from parse_json_with_lines; the object's own if it lacks the key.
std::size_t line_of(nlohmann::ordered_json const& object, std::string const& key = "");

}  // namespace Koinon::Perf
