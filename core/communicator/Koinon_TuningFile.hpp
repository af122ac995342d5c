// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>
#include <Koinon_TuningTable.hpp>

#include <string>
#include <vector>

namespace Koinon::Impl {

/// Reads the entries of a tuning file (KOINON_TUNING): a JSON list of objects, one an entry, whose members are the fields
/// of TuningEntry and Tuning by name. Throws InvalidArgument with the file, the entry and the reason.
KOINON_EXPORT std::vector<TuningEntry> read_tuning_text(std::string const& file, std::string const& text);

/// Returns the whole text of a file. Throws InvalidArgument that names it.
KOINON_EXPORT std::string read_file(std::string const& file);

}  // namespace Koinon::Impl
