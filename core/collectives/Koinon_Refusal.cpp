// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <collectives/Koinon_Refusal.hpp>

#include <Koinon_Error.hpp>
#include <collectives/Koinon_Call.hpp>

#include <limits>

namespace Koinon::Impl {

std::string refusal_text(Refusal const& refusal, std::string_view operation, std::string_view label, int rank) {
  std::string text = "Koinon::" + std::string(operation);
  if (!label.empty()) text += " [" + std::string(label) + "]";
  return text + ": rank " + std::to_string(rank) + ": " + refusal.reason;
}

void throw_refusal(Refusal const& refusal, std::string_view operation, std::string_view label, int rank) {
  std::string const text = refusal_text(refusal, operation, label, rank);
  if (refusal.kind == Refusal::Kind::unsupported) throw UnsupportedError(text);
  throw InvalidArgument(text);
}

void throw_workspace_too_small(std::string_view operation, std::string_view label, int rank, std::size_t needed,
                               std::size_t given) {
  throw ResourceError(refusal_text(Refusal::invalid("the result needs " + std::to_string(needed) +
                                                    " bytes, `workspace` has " + std::to_string(given)),
                                   operation, label, rank));
}

Refusal refuse_null(char const* argument) {
  return Refusal::invalid(std::string("`") + argument + "` is null, memory of its extents expected");
}

Refusal refuse_memory(char const* argument, char const* reason) {
  std::string const text = std::string("`") + argument + "` cannot be accessed by the kernels of this rank";
  return Refusal::invalid(reason == nullptr ? text : text + ": " + reason);
}

Refusal refuse_instance(char const* reason) {
  return Refusal::invalid(std::string("nothing can be launched on the policy's instance now: ") + reason);
}

Refusal refuse_extent(char const* argument, char const* what, std::size_t given, std::string const& expected) {
  return Refusal::invalid(std::string("`") + argument + "` has " + std::to_string(given) + " " + what + ", " + expected +
                          " expected");
}

Refusal check_counts(std::span<std::int64_t const> counts, int ranks, char const* argument) {
  if (counts.size() != static_cast<std::size_t>(ranks)) {
    return Refusal::invalid(std::string("`") + argument + "` has " + std::to_string(counts.size()) + " entries, one for each of " +
                            std::to_string(ranks) + " ranks expected");
  }
  std::int64_t left = std::numeric_limits<std::int64_t>::max();
  for (std::size_t p = 0; p < counts.size(); ++p) {
    if (counts[p] < 0) {
      return Refusal::invalid(std::string("`") + argument + "` has " + std::to_string(counts[p]) + " for rank " +
                              std::to_string(p) + ", a number of rows expected");
    }
    // Else a sum that wraps might be that of the rows.
    if (counts[p] > left) {
      return Refusal::invalid(std::string("`") + argument + "` has " + std::to_string(counts[p]) + " for rank " +
                              std::to_string(p) + ", with which the sum exceeds 64 bits");
    }
    left -= counts[p];
  }
  return {};
}

Refusal check_root(int root, int ranks) {
  if (root >= 0 && root < ranks) return {};
  return Refusal::invalid("`root` is " + std::to_string(root) + ", a rank of 0 .. " + std::to_string(ranks - 1) +
                          " expected");
}

Refusal refuse_strided_rows(char const* argument) {
  return Refusal::unsupported(std::string("the rows of `") + argument + "` are not dense: an epilogue takes rows of stride 1");
}

std::string call_text(std::string_view operation, std::string_view element, std::string_view reducer,
                      std::size_t elements, Selection const& selection) {
  return std::string(operation) + "(" + std::to_string(elements) + " " + std::string(element) +
         (reducer.empty() ? "" : ", " + std::string(reducer)) + ", " + std::string(to_string(selection.algorithm)) + ", " +
         std::string(to_string(selection.transport)) + ", " + std::to_string(selection.blocks) + " blocks)";
}

}  // namespace Koinon::Impl
