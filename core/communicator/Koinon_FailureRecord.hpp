// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace Koinon::Impl {

enum class FailureKind : std::uint32_t { none, timeout, died, left, aborted, mismatch, overlap };

/// Says what ended a communicator; lies in memory that all ranks of the node read, written once by its rank.
///
/// `kind` is stored last (release), so whoever reads it (acquire) reads the whole record.
struct FailureRecord {
  static constexpr int most_ranks = 1024;  // whose absence is told one by one

  std::uint32_t kind = 0;
  std::int32_t origin = 0;          // the rank that found it
  std::uint32_t launch_number = 0;  // 0: while the communicator was made or used otherwise
  std::int32_t culprit = -1;        // a rank that is missing, died, left, aborted or disagrees
  char operation[32] = {};
  char label[96] = {};
  char text[320] = {};
  std::uint64_t missing[most_ranks / 64] = {};

  void add_missing(int rank) {
    if (rank >= 0 && rank < most_ranks) missing[rank / 64] |= std::uint64_t{1} << (rank % 64);
  }
  [[nodiscard]] bool is_missing(int rank) const {
    return rank >= 0 && rank < most_ranks && (missing[rank / 64] >> (rank % 64) & 1) != 0;
  }
};

}  // namespace Koinon::Impl
