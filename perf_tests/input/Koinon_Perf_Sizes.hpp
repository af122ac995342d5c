// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace Koinon::Perf {

/// Reads a whole number with an optional K, M or G (1024 each).
/// @throws UsageError that names the option, the text and what is expected
std::size_t parse_size(std::string_view option, std::string_view text);

/// Reads whole numbers separated by commas; zeros are allowed.
std::vector<std::size_t> parse_counts(std::string_view option, std::string_view text);

/// Returns from, from * factor, ... up to and including the last one that is not above to.
/// @pre from >= 1, factor >= 2
std::vector<std::size_t> sizes_between(std::size_t from, std::size_t to, std::size_t factor);

/// Writes bytes in the largest of B, KiB, MiB, GiB that keeps a whole number.
std::string readable_bytes(std::size_t bytes);

}  // namespace Koinon::Perf
