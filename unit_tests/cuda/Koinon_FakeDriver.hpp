// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Koinon_CudaDriver.hpp>
#include <support/Koinon_FakeRecord.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace Koinon::Testing {

/// Is a GPU of the fake.
struct FakeGpu {
  bool maps = true;         // virtual memory management
  bool descriptors = true;  // export by file descriptor
  bool fabric = false;      // export by fabric handle
  bool multicast = true;
  bool pageable = false;  // reads and writes plain host memory through the page tables
  std::set<int> unreachable = {};  // GPUs without peer access
};

/// Is a driver without a GPU behind the same table as the real one, for as long as it lives: strict where the real one
/// may be lenient, and with memory that can be read and written.
///
/// Device memory is a memory file, mapped where the driver's calls say; it can be touched once a device was given
/// access. Handles travel between processes in earnest, a fabric handle through /proc. A multicast address has no
/// memory behind it: a touch by anything kills. What breaks the driver's rules is refused and remembered in
/// violations(). Multicast functions count as called when they are looked up too.
class FakeDriver : public FakeRecord<CUresult> {
 public:
  explicit FakeDriver(std::vector<FakeGpu> gpus);
  ~FakeDriver();

  [[nodiscard]] Impl::CudaPlace place(int gpu) const;

  void fail(int rank, int nth, CUresult result = CUDA_ERROR_OUT_OF_MEMORY, std::string name = "") {
    FakeRecord::fail(rank, nth, result, std::move(name));
  }
  void always_fail(std::string const& name, CUresult result = CUDA_ERROR_NOT_SUPPORTED) {
    FakeRecord::always_fail(name, result);
  }

  /// Returns what was made and not given back, as text; empty if nothing.
  [[nodiscard]] std::string live() const;
  /// Says whether a GPU may read and write all of those bytes.
  [[nodiscard]] bool can_access(int gpu, void const* at, std::size_t bytes) const;
  /// Returns how many GPUs' memory is bound to the multicast object that is mapped there; -1: none is.
  [[nodiscard]] int bound_at(void const* at) const;

  /// Is who made memory that the fake only knows of: a program beside Koinon.
  enum class Origin { device, pool, managed, pinned };
  /// Lets the driver know of memory. @param gpu whose it is; of no meaning for pinned memory
  void know(void const* at, std::size_t bytes, Origin origin, int gpu);
  void forget(void const* at);
  /// Opens what one GPU has to the kernels of another.
  void open(int to, int of);

  /// Says in which capture a stream is: 0 in none, `failed_capture` in one that has failed. Streams of a program beside
  /// Koinon need no other introduction.
  void capture(CUstream stream, std::uint64_t id);
  /// Returns the waits of streams for others that events made, as pairs (waits, waited for).
  [[nodiscard]] std::vector<std::pair<CUstream, CUstream>> waits() const;
  static constexpr std::uint64_t failed_capture = ~std::uint64_t{0};

  static constexpr std::size_t granularity = std::size_t{2} << 20;
  static constexpr std::size_t multicast_granularity = std::size_t{4} << 20;

 private:
  friend struct FakeDevices;
  friend struct FakeAllocations;
  friend struct FakeIpc;
  friend struct FakeMappings;
  friend struct FakeMulticast;

  struct Shared;  // what processes share of an object: the last page of its file
  struct Object {
    int fd = -1;
    Shared* shared = nullptr;
  };
  struct Mapping {
    std::size_t bytes;
    CUmemGenericAllocationHandle handle;  // of an object that lives as long as it is mapped
    std::set<int> gpus;
  };
  struct Block {
    std::size_t bytes;
    int gpu;
    Object file;  // whose page counts the mappings of other processes
  };
  struct Known {
    std::size_t bytes;
    Origin origin;
    int gpu;
  };

  // Each part puts its functions into the table.
  void fill_devices();
  void fill_allocations();
  void fill_ipc();
  void fill_mappings();
  void fill_multicast();

  CUresult refuse(std::string const& why, CUresult result = CUDA_ERROR_INVALID_VALUE) {
    return FakeRecord::refuse(why, result);
  }
  CUresult make_object(Shared const& contents, CUmemGenericAllocationHandle* handle);
  static CUresult make_file(Shared const& contents, Object& object);
  Object* find(CUmemGenericAllocationHandle handle);
  void drop_if_unused(CUmemGenericAllocationHandle handle);
  [[nodiscard]] bool is_gpu(int gpu) const { return gpu >= 0 && gpu < static_cast<int>(m_gpus.size()); }
  [[nodiscard]] int current_gpu() const;
  [[nodiscard]] Known const* known_at(CUdeviceptr at) const;
  [[nodiscard]] bool accessible(int gpu, CUdeviceptr at, std::size_t bytes) const;
  [[nodiscard]] static std::string bus_id(int gpu);

  std::vector<FakeGpu> m_gpus;
  Impl::CudaDriver m_table;

  CUmemGenericAllocationHandle m_next_handle = 0x1000;
  std::map<CUmemGenericAllocationHandle, Object> m_objects;
  std::map<CUmemGenericAllocationHandle, int> m_references;  // handles that were not released
  std::map<CUdeviceptr, std::size_t> m_reservations;
  std::map<CUdeviceptr, Mapping> m_mappings;
  std::set<std::pair<CUmemGenericAllocationHandle, int>> m_bindings;  // made by this process
  std::map<CUdeviceptr, Block> m_allocations;
  std::map<CUdeviceptr, Block> m_opened_blocks;  // other processes', by cuIpcOpenMemHandle
  std::map<CUdeviceptr, Known> m_known;
  std::set<std::pair<int, int>> m_opened;  // to, of
  std::map<void*, std::size_t> m_pinned;
  std::map<void*, std::size_t> m_registered;
  std::map<CUstream, int> m_streams;
  std::map<CUstream, std::uint64_t> m_captures;
  struct Event {
    CUstream recorded_on = nullptr;
    std::uint64_t capture = 0;
    bool recorded = false;
  };
  std::map<CUevent, Event> m_events;
  std::vector<std::pair<CUstream, CUstream>> m_waits;
  int m_pushed = 0;
};

}  // namespace Koinon::Testing
