// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_DeviceHostWords.hpp>

#include <new>

namespace Koinon::Impl {

namespace {
constexpr std::size_t page_bytes = 4096;
}

DeviceHostWords::DeviceHostWords(DeviceCalls const& calls, std::uint32_t& alert) : m_calls(calls), m_alert(&alert) {
  PinnedMemory const own = calls.make_pinned(sizeof(Own));
  m_own = new (own.host) Own;
  m_own_on_device = own.on_device;
  // A rank's alert lies in a segment of its own, whole pages: nobody else registers this one.
  auto const address = reinterpret_cast<std::uintptr_t>(m_alert);
  void* const page = reinterpret_cast<void*>(address / page_bytes * page_bytes);
  m_page_on_device = calls.register_pages(page, page_bytes);
  if (m_page_on_device != nullptr) m_page = page;
}

DeviceHostWords::~DeviceHostWords() {
  if (!m_here) return;
  if (m_page != nullptr) m_calls.unregister_pages(m_page);
  m_calls.free_pinned(m_own);
}

void DeviceHostWords::fill_in(DeviceWatch& watch) const {
  std::byte* const abort_word =
      m_page != nullptr
          ? m_page_on_device + (reinterpret_cast<std::uintptr_t>(m_alert) - reinterpret_cast<std::uintptr_t>(m_page))
          : m_own_on_device + offsetof(Own, abort_word);
  watch.abort_word = reinterpret_cast<std::uint32_t*>(abort_word);
  watch.failure = reinterpret_cast<DeviceFailure*>(m_own_on_device + offsetof(Own, failure));
}

}  // namespace Koinon::Impl
