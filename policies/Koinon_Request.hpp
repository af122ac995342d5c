// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_Traits.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Koinon {

/// Records all that a policy asks for, as values: what, and whether the call may fall back.
struct Request {
  Tuning asked;
  CategorySet required;     ///< the call throws rather than run without these
  CategorySet overridden;   ///< preferences that a requirement replaced
  CategorySet conflicting;  ///< required twice, with different values: every call is refused

  constexpr bool deterministic() const { return required.contains(Category::determinism); }

  /// Compares all bits at once, without a branch: cheap enough for the key of a cache.
  friend constexpr bool operator==(Request const& left, Request const& right) {
    using Words = std::array<std::uint64_t, 8>;
    auto const left_words = std::bit_cast<Words>(left);
    auto const right_words = std::bit_cast<Words>(right);
    std::uint64_t difference = 0;
    for (std::size_t index = 0; index < left_words.size(); ++index)
      difference |= left_words[index] ^ right_words[index];
    return difference == 0;
  }

 private:
  [[maybe_unused]] std::uint16_t m_padding = 0;
};

static_assert(std::is_trivially_copyable_v<Request> && std::has_unique_object_representations_v<Request>);
static_assert(sizeof(Request) == 64, "a request is compared on every call: it fits one cache line");

namespace Impl {

constexpr void record_required(Request& request, Category category, Tuning const& tuning) {
  if (request.required.contains(category)) {
    if (only(request.asked, category) != only(tuning, category)) request.conflicting.insert(category);
    return;
  }
  if (states(request.asked, category) && only(request.asked, category) != only(tuning, category)) {
    request.overridden.insert(category);
  }
  copy_category(request.asked, tuning, category);
  request.required.insert(category);
}

constexpr void record_preferred(Request& request, Category category, Tuning const& tuning) {
  if (!request.required.contains(category)) {
    copy_category(request.asked, tuning, category);
  } else if (states(tuning, category) && only(request.asked, category) != only(tuning, category)) {
    request.overridden.insert(category);
  }
}

template <class Record>
constexpr Request recorded(Request request, CategorySet categories, Tuning const& tuning, Record record) {
  for (std::size_t index = 0; index < enumerator_count<Category>; ++index) {
    auto const category = static_cast<Category>(index);
    if (categories.contains(category)) record(request, category, tuning);
  }
  return request;
}

}  // namespace Impl

/// Asks for a trait, or for all that a tuning states, without a fallback.
/// @post a category required before with another value is in `conflicting`
constexpr Request required(Request const& request, CategorySet categories, Tuning const& tuning) {
  return Impl::recorded(request, categories, tuning, Impl::record_required);
}
template <PolicyTrait Trait>
constexpr Request required(Request const& request, Trait const&) {
  return required(request, Trait::categories, Trait::tuning);
}
constexpr Request required(Request const& request, Tuning const& tuning) {
  return required(request, stated_categories(tuning), tuning);
}

/// Asks for a trait, or for all that a tuning states, where it is possible. The last preference counts; a requirement
/// counts more than any.
constexpr Request preferred(Request const& request, CategorySet categories, Tuning const& tuning) {
  return Impl::recorded(request, categories, tuning, Impl::record_preferred);
}
template <PolicyTrait Trait>
constexpr Request preferred(Request const& request, Trait const&) {
  static_assert(!Trait::categories.contains(Category::determinism),
                "Koinon::prefer: a guarantee changes results and cannot be a preference; use Koinon::require");
  return preferred(request, Trait::categories, Trait::tuning);
}
constexpr Request preferred(Request const& request, Tuning const& tuning) {
  return preferred(request, stated_categories(tuning), tuning);
}

/// Gives the request that requires all these traits.
template <PolicyTrait... Traits>
constexpr Request request_of() {
  Request request;
  ((request = required(request, Traits{})), ...);
  return request;
}

/// Gives the run-time twin of all these traits together.
template <PolicyTrait... Traits>
constexpr Tuning tuning_of() {
  return request_of<Traits...>().asked;
}

}  // namespace Koinon
