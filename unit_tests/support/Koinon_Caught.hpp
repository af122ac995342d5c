// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Error.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace Koinon::Testing {

/// Is what a call threw, flat: the type by name and what each type of error carries.
struct Caught {
  std::string type = "nothing";
  std::string message;
  std::string operation;
  std::string label;
  std::uint32_t launch_number = 0;
  std::vector<int> missing;  // TimeoutError
  int rank = -1;             // AbortedError

  [[nodiscard]] bool says(std::string const& text) const { return message.find(text) != std::string::npos; }
};

/// Runs f and returns what it threw.
template <class F>
Caught caught(F&& f) {
  Caught c;
  try {
    f();
    return c;
  } catch (TimeoutError const& e) {
    c = {"TimeoutError", e.what(), e.operation(), e.label(), e.launch_number(), e.missing_ranks(), -1};
  } catch (AbortedError const& e) {
    c = {"AbortedError", e.what(), "", "", 0, {}, e.rank()};
  } catch (MismatchError const& e) {
    c = {"MismatchError", e.what(), "", "", 0, {}, -1};
  } catch (ResourceError const& e) {
    c = {"ResourceError", e.what(), "", "", 0, {}, -1};
  } catch (UnsupportedError const& e) {
    c = {"UnsupportedError", e.what(), "", "", 0, {}, -1};
  } catch (InvalidArgument const& e) {
    c = {"InvalidArgument", e.what(), "", "", 0, {}, -1};
  } catch (Error const& e) {
    c = {"Error", e.what(), "", "", 0, {}, -1};
  } catch (std::exception const& e) {
    c = {"another exception", e.what(), "", "", 0, {}, -1};
  }
  return c;
}

/// Expects an error of that type whose message holds each text.
template <class... Texts>
void expect_error(Caught const& c, std::string const& type, Texts const&... texts) {
  EXPECT_EQ(c.type, type) << c.message;
  for (std::string const& text : std::vector<std::string>{texts...}) {
    EXPECT_TRUE(c.says(text)) << "`" << text << "` is not in: " << c.message;
  }
}

/// Expects a TimeoutError that names exactly these ranks.
inline void expect_missing(Caught const& c, std::vector<int> const& ranks) {
  EXPECT_EQ(c.type, "TimeoutError") << c.message;
  EXPECT_EQ(c.missing, ranks) << c.message;
}

}  // namespace Koinon::Testing
