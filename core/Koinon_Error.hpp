// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Export.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace Koinon {

/// Is the base of everything that Koinon throws.
class KOINON_EXPORT Error : public std::runtime_error {
 public:
  explicit Error(std::string const& message);
  Error(Error const&) = default;
  Error& operator=(Error const&) = default;
  ~Error() override;
};

/// Says that an argument is wrong: the message names the operation, label, rank, argument, what was given and expected.
/// Nothing was launched.
class KOINON_EXPORT InvalidArgument : public Error {
 public:
  using Error::Error;
  ~InvalidArgument() override;
};

/// Says that what is asked is right but cannot be done here (element type, transport, a required trait).
class KOINON_EXPORT UnsupportedError : public Error {
 public:
  using Error::Error;
  ~UnsupportedError() override;
};

/// Says that memory, descriptors or another resource of the machine or the communicator is exhausted.
class KOINON_EXPORT ResourceError : public Error {
 public:
  using Error::Error;
  ~ResourceError() override;
};

/// Says that ranks disagree (options, environment, or with KOINON_CHECK=1 the call itself) and which rank said what.
class KOINON_EXPORT MismatchError : public Error {
 public:
  using Error::Error;
  ~MismatchError() override;
};

/// Says that a rank aborted the communicator, and why.
class KOINON_EXPORT AbortedError : public Error {
 public:
  AbortedError(std::string const& message, int rank);
  ~AbortedError() override;
  /// Returns the rank that aborted.
  [[nodiscard]] int rank() const noexcept { return m_rank; }

 private:
  int m_rank;
};

/// Says that ranks did not arrive before the deadline, or died: the communicator can no longer be used.
class KOINON_EXPORT TimeoutError : public Error {
 public:
  TimeoutError(std::string const& message, std::string operation, std::string label, std::uint32_t launch_number,
               std::vector<int> missing_ranks);
  ~TimeoutError() override;
  [[nodiscard]] std::string const& operation() const noexcept { return m_operation; }
  [[nodiscard]] std::string const& label() const noexcept { return m_label; }
  [[nodiscard]] std::uint32_t launch_number() const noexcept { return m_launch_number; }
  /// Returns the ranks that were waited for, in rising order.
  [[nodiscard]] std::vector<int> const& missing_ranks() const noexcept { return m_missing_ranks; }

 private:
  std::string m_operation;
  std::string m_label;
  std::uint32_t m_launch_number;
  std::vector<int> m_missing_ranks;
};

namespace Impl {
// Every throw of a header ends in one of these, so that headers compile without exceptions.
[[noreturn]] KOINON_EXPORT void throw_invalid_argument(std::string const& message);
[[noreturn]] KOINON_EXPORT void throw_unsupported(std::string const& message);
[[noreturn]] KOINON_EXPORT void throw_resource_error(std::string const& message);
[[noreturn]] KOINON_EXPORT void throw_mismatch(std::string const& message);
}  // namespace Impl

}  // namespace Koinon
