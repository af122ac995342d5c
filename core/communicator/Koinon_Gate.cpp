// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <communicator/Koinon_Gate.hpp>

#include <Koinon_Error.hpp>

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace Koinon::Impl {

namespace {
constexpr std::size_t page_bytes = 4096;
}

Gate::Gate() {
  void* const page = mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw ResourceError(std::string("Koinon: mmap of a page failed: ") + std::strerror(errno));
  if (madvise(page, page_bytes, MADV_WIPEONFORK) != 0) {
    int const error = errno;
    munmap(page, page_bytes);
    throw ResourceError(std::string("Koinon: madvise(MADV_WIPEONFORK) failed (Linux 4.14 or newer is needed): ") +
                        std::strerror(error));
  }
  m_word = static_cast<std::uint32_t*>(page);
  std::atomic_ref(*m_word).store(open, std::memory_order_release);
}

Gate::~Gate() { munmap(m_word, page_bytes); }

void Gate::shut(State reason) noexcept {
  std::uint32_t expected = open;
  std::atomic_ref(*m_word).compare_exchange_strong(expected, reason, std::memory_order_acq_rel);
}

}  // namespace Koinon::Impl
