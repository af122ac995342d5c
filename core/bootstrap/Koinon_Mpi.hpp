// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bootstrap/Koinon_Bootstrap.hpp>
#include <Koinon_Error.hpp>

#include <mpi.h>

#include <string>

namespace Koinon {

/// Brings together the ranks of an MPI communicator: duplicated here, freed with the bootstrap, never used afterwards.
///
/// MPI_THREAD_FUNNELED is enough; no MPI call is made in a collective, nor after MPI_Finalize.
class MpiBootstrap final : public Bootstrap {
 public:
  explicit MpiBootstrap(MPI_Comm comm) {
    int initialized = 0;
    int finalized = 0;
    MPI_Initialized(&initialized);
    if (initialized == 0) Impl::throw_invalid_argument("Koinon::Communicator: MPI is not initialized");
    MPI_Finalized(&finalized);
    if (finalized != 0) Impl::throw_invalid_argument("Koinon::Communicator: MPI is finalized already");
    if (comm == MPI_COMM_NULL) Impl::throw_invalid_argument("Koinon::Communicator: MPI_COMM_NULL was given");
    check(MPI_Comm_dup(comm, &m_comm), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(m_comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(m_comm, &m_rank);
    MPI_Comm_size(m_comm, &m_size);
  }
  MpiBootstrap(MpiBootstrap const&) = delete;
  MpiBootstrap& operator=(MpiBootstrap const&) = delete;
  ~MpiBootstrap() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0 && m_comm != MPI_COMM_NULL) MPI_Comm_free(&m_comm);
  }

  [[nodiscard]] int rank() const override { return m_rank; }
  [[nodiscard]] int size() const override { return m_size; }
  void all_gather(std::span<std::byte const> mine, std::span<std::byte> all) override {
    check(MPI_Allgather(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, all.data(),
                        static_cast<int>(mine.size()), MPI_BYTE, m_comm),
          "MPI_Allgather");
  }
  void barrier() override { check(MPI_Barrier(m_comm), "MPI_Barrier"); }

 private:
  static void check(int code, char const* call) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(code, text, &length);
    Impl::throw_resource_error(std::string("Koinon::Communicator: ") + call + " failed: " + text);
  }

  MPI_Comm m_comm = MPI_COMM_NULL;
  int m_rank = 0;
  int m_size = 1;
};

namespace Impl {
template <>
struct BootstrapOfGroup<MPI_Comm> {
  using type = MpiBootstrap;
};
}  // namespace Impl

}  // namespace Koinon
