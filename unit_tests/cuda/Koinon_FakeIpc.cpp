// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/Koinon_FakeCalls.hpp>

#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace Koinon::Testing {

/// Allocations that other processes open. A handle is the process and its descriptor of the memory.
struct FakeIpc {
  static CUresult get_handle(CUipcMemHandle* handle, CUdeviceptr at) {
    KOINON_FAKE("cuIpcGetMemHandle", true, true)
    auto const found = f.m_allocations.find(at);
    if (found == f.m_allocations.end()) return f.refuse("a handle of what is no begin of an allocation");
    std::int64_t const where[2] = {getpid(), found->second.file.fd};
    std::memset(handle, 0, sizeof *handle);
    std::memcpy(handle, where, sizeof where);
    return CUDA_SUCCESS;
  }
  static CUresult open_handle(CUdeviceptr* at, CUipcMemHandle handle, unsigned flags) {
    KOINON_FAKE("cuIpcOpenMemHandle", true, true)
    if (f.current_gpu() < 0) return f.refuse("an opened allocation without a context", CUDA_ERROR_INVALID_CONTEXT);
    if (flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) return f.refuse("an allocation is opened without peer access");
    std::int64_t where[2] = {};
    std::memcpy(where, &handle, sizeof where);
    if (where[0] == getpid()) return f.refuse("a process opens its own allocation", CUDA_ERROR_INVALID_CONTEXT);
    int const fd =
        open(("/proc/" + std::to_string(where[0]) + "/fd/" + std::to_string(where[1])).c_str(), O_RDWR | O_CLOEXEC);
    struct stat status {};
    if (fd < 0 || fstat(fd, &status) != 0) return f.refuse("an allocation that is gone is opened");
    auto const bytes = static_cast<std::size_t>(status.st_size) - fake_page_bytes;
    void* const page =
        mmap(nullptr, fake_page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(bytes));
    auto* const shared = static_cast<FakeDriver::Shared*>(page);
    if (page == MAP_FAILED || shared->magic != fake_magic) return f.refuse("what is no allocation is opened");
    if (f.m_gpus[static_cast<std::size_t>(f.current_gpu())].unreachable.contains(shared->gpu)) {
      return f.refuse("an allocation of a GPU out of reach is opened", CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    }
    void* const p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
    ++shared->added;
    *at = reinterpret_cast<CUdeviceptr>(p);
    f.m_opened_blocks[*at] = {bytes, f.current_gpu(), {fd, shared}};
    return CUDA_SUCCESS;
  }
  static CUresult close_handle(CUdeviceptr at) {
    KOINON_FAKE("cuIpcCloseMemHandle", false, true)
    auto const found = f.m_opened_blocks.find(at);
    if (found == f.m_opened_blocks.end()) return f.refuse("what was not opened is closed");
    auto const& [bytes, gpu, file] = found->second;
    if (f.current_gpu() != gpu) return f.refuse("an allocation is closed in another context");
    --file.shared->added;
    munmap(pointer(at), bytes);
    munmap(file.shared, fake_page_bytes);
    close(file.fd);
    f.m_opened_blocks.erase(found);
    return CUDA_SUCCESS;
  }
};

void FakeDriver::fill_ipc() {
  m_table.cuIpcGetMemHandle = FakeIpc::get_handle;
  m_table.cuIpcOpenMemHandle = FakeIpc::open_handle;
  m_table.cuIpcCloseMemHandle = FakeIpc::close_handle;
}

}  // namespace Koinon::Testing
