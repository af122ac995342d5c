// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaIpc.hpp>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>

namespace Koinon::Impl {

namespace {

constexpr std::chrono::nanoseconds longest_patience = std::chrono::seconds(5);

}  // namespace

CudaIpcSegments::CudaIpcSegments(CudaSharing const& sharing)
    : m_driver(sharing.driver),
      m_place(sharing.place),
      m_rank(sharing.rank()),
      m_patience(sharing.timeout.count() > 0 ? std::min(sharing.timeout, longest_patience) : longest_patience),
      m_at(static_cast<std::size_t>(sharing.size())) {}

void CudaIpcSegments::share(CudaSharing const& sharing, std::vector<Identity> const& identities, std::size_t bytes) {
  m_notes = SharedSegments(sharing.bootstrap, identities, sizeof(std::uint32_t), sharing.timeout);
  CUipcMemHandle mine{};
  sharing.step("allocating device memory for cudaIpc", [&] {
    m_own = std::make_unique<CudaAllocation>(m_driver, m_place, bytes);
    m_at[static_cast<std::size_t>(m_rank)] = reinterpret_cast<CUdeviceptr>(m_own->at());
    check(m_driver, m_driver.cuIpcGetMemHandle(&mine, m_at[static_cast<std::size_t>(m_rank)]),
          "exporting device memory (cuIpcGetMemHandle)");
  });
  std::vector<CUipcMemHandle> const handles = gather_values(sharing.bootstrap, mine);
  sharing.step("mapping device memory by cudaIpc", [&] {
    for (int p = 0; p < sharing.size(); ++p) {
      if (p == m_rank) continue;
      auto const at = static_cast<std::size_t>(p);
      check(m_driver, m_driver.cuIpcOpenMemHandle(&m_at[at], handles[at], CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
            "mapping the memory of rank " + std::to_string(p) + " (cuIpcOpenMemHandle)");
    }
  });
}

CudaIpcSegments::~CudaIpcSegments() {
  if (!m_here || m_notes.base() == nullptr) return;
  int const ranks = static_cast<int>(m_at.size());
  {
    CudaCurrent const current(m_driver, m_place, std::nothrow);  // if it is gone, so are its mappings
    for (int p = 0; p < ranks && current.ok(); ++p) {
      CUdeviceptr const at = m_at[static_cast<std::size_t>(p)];
      if (p != m_rank && at != 0) m_driver.cuIpcCloseMemHandle(at);
    }
  }
  for (int p = 0; p < ranks; ++p) {
    if (p != m_rank) std::atomic_ref(let_go_of(p)).fetch_add(1, std::memory_order_acq_rel);
  }
  if (m_own != nullptr && !all_let_go()) (void)m_own.release();
}

bool CudaIpcSegments::all_let_go() const {
  auto const others = static_cast<std::uint32_t>(m_at.size()) - 1;
  auto const since = std::chrono::steady_clock::now();
  while (std::atomic_ref(let_go_of(m_rank)).load(std::memory_order_acquire) != others) {
    if (std::chrono::steady_clock::now() - since > m_patience) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

}  // namespace Koinon::Impl
