// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace Koinon::Impl {

/// Remembers which addresses the kernels of one place can access, so that a call that repeats an earlier one asks the
/// driver nothing: a load and a comparison an array.
///
/// Only a yes is kept: what is refused may be pinned or opened meanwhile. A yes outlives the memory that it was said
/// of. Whoever frees it and passes other memory at the same address that the device cannot access gets a fault of the
/// kernel in place of a refusal, as without the check; what can be accessed is never refused for it.
class DeviceReached {
 public:
  /// Returns null if the address can be accessed, else what `unreachable_reason(place, p)` of the backend says.
  template <class Place>
  [[nodiscard]] char const* refusal_of(Place const& place, void const* p) {
    void const*& known = m_known[slot(p)];
    if (known == p) [[likely]] return nullptr;
    char const* const reason = unreachable_reason(place, p);
    if (reason == nullptr) known = p;
    return reason;
  }

 private:
  // Arrays of a program's calls begin at multiples of 256 or are rows apart: all bits above those of an element count.
  static constexpr int slot_bits = 8;
  [[nodiscard]] static std::size_t slot(void const* p) {
    return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(p) >> 2) * 0x9E3779B97F4A7C15ull >>
                                    (64 - slot_bits));
  }
  std::array<void const*, std::size_t{1} << slot_bits> m_known{};
};

}  // namespace Koinon::Impl
