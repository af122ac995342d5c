// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Enumerations.hpp>

#include <concepts>
#include <string>
#include <string_view>

namespace Koinon::Impl {

template <class Part>
void append(std::string& text, Part const& part) {
  if constexpr (NamedEnum<Part>) {
    text.append(to_string(part));
  } else if constexpr (std::integral<Part>) {
    text.append(std::to_string(part));
  } else {
    text.append(std::string_view(part));
  }
}

/// Writes names, numbers and texts one after another.
template <class... Parts>
std::string joined(Parts const&... parts) {
  std::string text;
  (append(text, parts), ...);
  return text;
}

}  // namespace Koinon::Impl
