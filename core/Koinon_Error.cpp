// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_Error.hpp>

#include <utility>

namespace Koinon {

Error::Error(std::string const& message) : std::runtime_error(message) {}
// The destructors stand here so that each class has one type description, which makes catching work across libraries.
Error::~Error() = default;
InvalidArgument::~InvalidArgument() = default;
UnsupportedError::~UnsupportedError() = default;
ResourceError::~ResourceError() = default;
MismatchError::~MismatchError() = default;
AbortedError::AbortedError(std::string const& message, int rank) : Error(message), m_rank(rank) {}
AbortedError::~AbortedError() = default;
TimeoutError::TimeoutError(std::string const& message, std::string operation, std::string label,
                           std::uint32_t launch_number, std::vector<int> missing_ranks)
    : Error(message),
      m_operation(std::move(operation)),
      m_label(std::move(label)),
      m_launch_number(launch_number),
      m_missing_ranks(std::move(missing_ranks)) {}
TimeoutError::~TimeoutError() = default;

namespace Impl {
void throw_invalid_argument(std::string const& message) { throw InvalidArgument(message); }
void throw_unsupported(std::string const& message) { throw UnsupportedError(message); }
void throw_resource_error(std::string const& message) { throw ResourceError(message); }
void throw_mismatch(std::string const& message) { throw MismatchError(message); }
}  // namespace Impl

}  // namespace Koinon
