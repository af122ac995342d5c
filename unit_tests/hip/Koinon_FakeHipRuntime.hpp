// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_HipRuntime.hpp>
#include <support/Koinon_FakeRecord.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace Koinon::Testing {

/// Is a GPU of the fake.
struct FakeHipGpu {
  bool pageable = false;           // reads and writes plain host memory through the page tables
  int clock_kilohertz = 100'000;   // of the wall clock
  std::set<int> unreachable = {};  // GPUs without peer access
};

/// Is a HIP runtime without a GPU behind the same table as the real one, for as long as it lives: strict where the real
/// one may be lenient, and with memory that can be read and written.
///
/// Device memory is a memory file; handles travel between processes in earnest. What breaks the runtime's rules, or
/// Koinon's own (memory of a communicator is uncached, pinned memory coherent), is refused and remembered in
/// violations(). A call can be made to fail.
class FakeHipRuntime : public FakeRecord<hipError_t> {
 public:
  explicit FakeHipRuntime(std::vector<FakeHipGpu> gpus);
  ~FakeHipRuntime();

  void fail(int rank, int nth, hipError_t result = hipErrorOutOfMemory, std::string name = "") {
    FakeRecord::fail(rank, nth, result, std::move(name));
  }
  void always_fail(std::string const& name, hipError_t result = hipErrorNotSupported) {
    FakeRecord::always_fail(name, result);
  }

  /// Returns what was made and not given back, as text; empty if nothing. Opened peer access is meant to stay.
  [[nodiscard]] std::string live() const;
  /// Says what a thread's calls have left changed in it: its device, its capture mode, an error; empty: nothing.
  [[nodiscard]] static std::string left_in_thread();
  /// Says whether a GPU may read and write all of those bytes.
  [[nodiscard]] bool can_access(int gpu, void const* at, std::size_t bytes) const;

  /// Is who made memory that the fake only knows of: a program beside Koinon.
  enum class Origin { device, managed, pinned, moved, array };
  /// Lets the runtime know of memory. @param gpu whose it is
  void know(void const* at, std::size_t bytes, Origin origin, int gpu);
  void forget(void const* at);
  /// Says whether access from one GPU to another's memory is open.
  [[nodiscard]] bool is_open(int to, int of) const;

  /// Says in which capture a stream is: 0 in none, `failed_capture` in one that has failed. Streams of a program beside
  /// Koinon need no other introduction.
  void capture(hipStream_t stream, std::uint64_t id);
  /// Returns the waits of streams for others that events made, as pairs (waits, waited for).
  [[nodiscard]] std::vector<std::pair<hipStream_t, hipStream_t>> waits() const;
  static constexpr std::uint64_t failed_capture = ~std::uint64_t{0};

 private:
  friend struct FakeHipDevices;
  friend struct FakeHipMemory;
  friend struct FakeHipIpc;

  struct Page;  // what processes share of an allocation: the last page of its file
  struct Block {
    std::size_t bytes;
    int gpu;
    int fd;
    Page* page;
  };
  struct Known {
    std::size_t bytes;
    Origin origin;
    int gpu;
  };
  struct Event {
    hipStream_t recorded_on = nullptr;
    std::uint64_t capture = 0;
    bool recorded = false;
  };

  // Each part puts its functions into the table.
  void fill_devices();
  void fill_memory();
  void fill_ipc();

  hipError_t refuse(std::string const& why, hipError_t result = hipErrorInvalidValue) {
    return FakeRecord::refuse(why, result);
  }
  [[nodiscard]] bool is_gpu(int gpu) const { return gpu >= 0 && gpu < static_cast<int>(m_gpus.size()); }
  [[nodiscard]] bool accessible(int gpu, void const* at, std::size_t bytes) const;
  [[nodiscard]] Known const* known_at(void const* at) const;
  [[nodiscard]] static std::string bus_id(int gpu);

  std::vector<FakeHipGpu> m_gpus;
  Impl::HipRuntime m_table;
  std::uintptr_t m_next_handle = 0x1000;
  std::map<std::byte*, Block> m_allocations;
  std::map<std::byte*, Block> m_opened;  // other processes'
  std::map<std::byte const*, Known> m_known;
  std::set<std::pair<int, int>> m_access;  // to, of
  std::map<std::byte*, std::size_t> m_pinned;
  std::map<std::byte*, std::size_t> m_registered;
  std::map<hipStream_t, int> m_streams;
  std::map<hipStream_t, std::uint64_t> m_captures;
  std::map<hipEvent_t, Event> m_events;
  std::vector<std::pair<hipStream_t, hipStream_t>> m_waits;
};

}  // namespace Koinon::Testing
