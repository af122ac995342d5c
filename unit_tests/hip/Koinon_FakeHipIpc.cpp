// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hip/Koinon_FakeHipCalls.hpp>

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace Koinon::Testing {

/// Device memory and the handles by which other processes open it. A handle is the process and its descriptor.
struct FakeHipIpc {
  struct Handle {
    std::uint64_t magic;
    std::int64_t process;
    std::int64_t descriptor;
  };

  static hipError_t allocate(void** at, std::size_t bytes, unsigned flags) {
    KOINON_FAKE_HIP("hipExtMallocWithFlags", true, true)
    if (flags != hipDeviceMallocUncached) return f.refuse("memory of a communicator that is cached");
    if (bytes == 0) return f.refuse("no bytes are allocated");
    std::size_t const whole = (bytes + fake_hip_page_bytes - 1) / fake_hip_page_bytes * fake_hip_page_bytes;
    int const fd = memfd_create("koinon-fake", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, static_cast<off_t>(whole + fake_hip_page_bytes)) != 0) return hipErrorOutOfMemory;
    auto* const p = static_cast<std::byte*>(
        mmap(nullptr, whole + fake_hip_page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    if (p == MAP_FAILED) return hipErrorOutOfMemory;
    auto* const page = new (p + whole) FakeHipRuntime::Page;
    page->gpu = current_gpu;
    page->bytes = whole;
    std::memset(p, 0xA5, std::min<std::size_t>(whole, 64 << 10));  // memory is what others left there
    f.m_allocations[p] = {whole, current_gpu, fd, page};
    *at = p;
    return hipSuccess;
  }
  static hipError_t free_memory(void* at) {
    KOINON_FAKE_HIP("hipFree", false, true)
    auto const found = f.m_allocations.find(static_cast<std::byte*>(at));
    if (found == f.m_allocations.end()) return f.refuse("memory that was not allocated is freed");
    auto const [bytes, gpu, fd, page] = found->second;
    if (current_gpu != gpu) return f.refuse("memory is freed on another device");
    if (page->opened != 0) return f.refuse("memory is freed while another process has opened it");
    munmap(at, bytes + fake_hip_page_bytes);
    close(fd);
    f.m_allocations.erase(found);
    return hipSuccess;
  }

  static hipError_t get_handle(hipIpcMemHandle_t* handle, void* at) {
    KOINON_FAKE_HIP("hipIpcGetMemHandle", true, true)
    auto const found = f.m_allocations.find(static_cast<std::byte*>(at));
    if (found == f.m_allocations.end()) return f.refuse("a handle of what is no begin of an allocation");
    if (found->second.gpu != current_gpu) return f.refuse("a handle of another device's memory");
    Handle const made{fake_hip_magic, getpid(), found->second.fd};
    static_assert(sizeof made <= sizeof *handle);
    std::memset(handle, 0, sizeof *handle);
    std::memcpy(handle, &made, sizeof made);
    return hipSuccess;
  }
  static hipError_t open_handle(void** at, hipIpcMemHandle_t handle, unsigned flags) {
    KOINON_FAKE_HIP("hipIpcOpenMemHandle", true, true)
    if (flags != hipIpcMemLazyEnablePeerAccess) return f.refuse("an allocation is opened without peer access");
    Handle of{};
    std::memcpy(&of, &handle, sizeof of);
    if (of.magic != fake_hip_magic) return f.refuse("what is no handle of memory is opened");
    if (of.process == getpid()) return f.refuse("a process opens its own allocation", hipErrorInvalidContext);
    std::string const file = "/proc/" + std::to_string(of.process) + "/fd/" + std::to_string(of.descriptor);
    int const fd = open(file.c_str(), O_RDWR | O_CLOEXEC);
    struct stat status {};
    if (fd < 0 || fstat(fd, &status) != 0) return f.refuse("an allocation that is gone is opened");
    for (auto const& [other, block] : f.m_opened) {
      struct stat theirs {};
      if (fstat(block.fd, &theirs) == 0 && theirs.st_ino == status.st_ino) {
        close(fd);
        return f.refuse("an allocation is opened twice");
      }
    }
    auto const all = static_cast<std::size_t>(status.st_size);
    auto* const p = static_cast<std::byte*>(mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    if (p == MAP_FAILED) return hipErrorOutOfMemory;
    auto* const page = reinterpret_cast<FakeHipRuntime::Page*>(p + all - fake_hip_page_bytes);
    if (f.m_gpus[static_cast<std::size_t>(current_gpu)].unreachable.contains(page->gpu)) {
      munmap(p, all);
      close(fd);
      return f.refuse("an allocation of a GPU out of reach is opened", hipErrorInvalidDevicePointer);
    }
    ++page->opened;
    f.m_opened[p] = {page->bytes, current_gpu, fd, page};
    *at = p;
    return hipSuccess;
  }
  static hipError_t close_handle(void* at) {
    KOINON_FAKE_HIP("hipIpcCloseMemHandle", false, true)
    auto const found = f.m_opened.find(static_cast<std::byte*>(at));
    if (found == f.m_opened.end()) return f.refuse("what was not opened is closed");
    auto const [bytes, gpu, fd, page] = found->second;
    if (current_gpu != gpu) return f.refuse("an allocation is closed on another device");
    --page->opened;
    munmap(at, bytes + fake_hip_page_bytes);
    close(fd);
    f.m_opened.erase(found);
    return hipSuccess;
  }
};

void FakeHipRuntime::fill_ipc() {
  m_table.hipExtMallocWithFlags = Noted<FakeHipIpc::allocate>::call;
  m_table.hipFree = Noted<FakeHipIpc::free_memory>::call;
  m_table.hipIpcGetMemHandle = Noted<FakeHipIpc::get_handle>::call;
  m_table.hipIpcOpenMemHandle = Noted<FakeHipIpc::open_handle>::call;
  m_table.hipIpcCloseMemHandle = Noted<FakeHipIpc::close_handle>::call;
}

}  // namespace Koinon::Testing
