// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <node/Koinon_SharedSegments.hpp>

#include <Koinon_Error.hpp>
#include <node/Koinon_DescriptorExchange.hpp>
#include <node/Koinon_FileDescriptor.hpp>
#include <node/Koinon_Vote.hpp>

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace Koinon::Impl {

namespace {

constexpr std::size_t page_bytes = 4096;

[[noreturn]] void fail(char const* call, std::size_t bytes) {
  throw ResourceError(std::string(call) + " of " + std::to_string(bytes) + " bytes failed: " + std::strerror(errno));
}

/// Opens a memfd of that size which can neither shrink (a SIGBUS for the peers) nor grow.
FileDescriptor make_memory_file(std::size_t bytes) {
  FileDescriptor fd(memfd_create("koinon", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) fail("memfd_create", bytes);
  // fallocate reserves every page now, by the owner: on its memory node, and an error if there is too little.
  int result = 0;
  do {
    result = fallocate(fd.get(), 0, 0, static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  if (result != 0) fail("fallocate", bytes);
  if (fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) fail("sealing", bytes);
  return fd;
}

}  // namespace

/// Owns a reserved range of addresses and all that is mapped there.
class AddressRange {
 public:
  explicit AddressRange(std::size_t bytes, int protection = PROT_NONE, int flags = MAP_NORESERVE) : m_bytes(bytes) {
    void* const at = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    if (at == MAP_FAILED) fail("mmap", bytes);
    m_at = static_cast<std::byte*>(at);
  }
  AddressRange(AddressRange const&) = delete;
  AddressRange& operator=(AddressRange const&) = delete;
  ~AddressRange() { munmap(m_at, m_bytes); }
  [[nodiscard]] std::byte* at() const { return m_at; }

 private:
  std::byte* m_at;
  std::size_t m_bytes;
};

bool all_in_one_process(std::vector<Identity> const& identities) {
  for (Identity const& identity : identities) {
    if (!identity.same_process(identities.front())) return false;
  }
  return true;
}

SharedSegments::SharedSegments(Bootstrap& bootstrap, std::vector<Identity> const& identities, std::size_t bytes,
                               std::chrono::nanoseconds timeout)
    : m_bytes((bytes + page_bytes - 1) / page_bytes * page_bytes) {
  int const rank = bootstrap.rank();
  int const size = bootstrap.size();
  std::size_t const total = m_bytes * static_cast<std::size_t>(size);
  m_stride = static_cast<std::ptrdiff_t>(m_bytes);

  if (all_in_one_process(identities)) {
    std::shared_ptr<AddressRange>* offered = nullptr;
    std::shared_ptr<AddressRange> made;
    vote(bootstrap, "reserving memory between threads", [&] {
      if (rank != 0) return;
      made = std::make_shared<AddressRange>(total, PROT_READ | PROT_WRITE, 0);
      offered = &made;
    });
    m_range = *gather_values(bootstrap, offered).front();
    m_base = m_range->at();
    vote(bootstrap, "reserving memory of a thread", [&] {
      // Populates this rank's part from its own thread; fails where a plain touch would kill.
      if (madvise(segment(rank), m_bytes, MADV_POPULATE_WRITE) != 0 && errno != EINVAL) fail("madvise", m_bytes);
    });
    return;
  }

  FileDescriptor own;
  vote(bootstrap, "reserving shared memory", [&] { own = make_memory_file(m_bytes); });
  std::vector<ReceivedDescriptor> const peers = exchange_descriptors(bootstrap, own.get(), timeout);
  vote(bootstrap, "mapping shared memory", [&] {
    m_range = std::make_shared<AddressRange>(total);
    m_base = m_range->at();
    for (int p = 0; p < size; ++p) {
      int const fd = p == rank ? own.get() : peers[static_cast<std::size_t>(p)].descriptor.get();
      void* const at = mmap(segment(p), m_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
      if (at == MAP_FAILED) fail("mmap", m_bytes);
    }
  });
  for (ReceivedDescriptor const& peer : peers) m_process_ids.push_back(peer.process_id);
}

}  // namespace Koinon::Impl
