// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Koinon_CudaSharing.hpp>
#include <Koinon_Error.hpp>
#include <node/Koinon_DescriptorExchange.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>

namespace Koinon::Impl {

namespace {

FileDescriptor export_descriptor(CudaSharing const& sharing, CUmemGenericAllocationHandle handle) {
  int fd = -1;
  check(sharing.driver,
        sharing.driver.cuMemExportToShareableHandle(&fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
        "exporting by file descriptor (cuMemExportToShareableHandle)");
  FileDescriptor exported(fd);
  // Programs that this process starts must not inherit GPU memory.
  if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) throw ResourceError(std::string("fcntl failed: ") + std::strerror(errno));
  return exported;
}

CudaHandle import_handle(CudaSharing const& sharing, void* exported, int from) {
  CUmemGenericAllocationHandle handle = 0;
  check(sharing.driver, sharing.driver.cuMemImportFromShareableHandle(&handle, exported, sharing.type),
        "importing what rank " + std::to_string(from) + " exported (cuMemImportFromShareableHandle)");
  return CudaHandle(sharing.driver, handle);
}

/// Exports on the ranks below `exporters`, imports on all others of each.
std::vector<CudaHandle> pass_handles(CudaSharing const& sharing, CUmemGenericAllocationHandle mine, int exporters) {
  bool const exports = sharing.rank() < exporters;
  std::vector<CudaHandle> handles(static_cast<std::size_t>(exporters));
  auto const import_all = [&](auto const& exported_by) {
    sharing.step("importing device memory", [&] {
      for (int p = 0; p < exporters; ++p) {
        if (p != sharing.rank()) handles[static_cast<std::size_t>(p)] = import_handle(sharing, exported_by(p), p);
      }
    });
  };

  if (sharing.type == CU_MEM_HANDLE_TYPE_FABRIC) {
    CUmemFabricHandle fabric{};
    sharing.step("exporting device memory", [&] {
      if (!exports) return;
      check(sharing.driver, sharing.driver.cuMemExportToShareableHandle(&fabric, mine, CU_MEM_HANDLE_TYPE_FABRIC, 0),
            "exporting by fabric handle (cuMemExportToShareableHandle)");
    });
    std::vector<CUmemFabricHandle> all = gather_values(sharing.bootstrap, fabric);
    import_all([&](int p) -> void* { return &all[static_cast<std::size_t>(p)]; });
    return handles;
  }

  FileDescriptor exported;
  sharing.step("exporting device memory", [&] {
    if (exports) {
      exported = export_descriptor(sharing, mine);
      return;
    }
    exported = FileDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));  // every rank passes something
    if (!exported.valid()) throw ResourceError(std::string("opening /dev/null failed: ") + std::strerror(errno));
  });
  std::vector<ReceivedDescriptor> const received =
      exchange_descriptors(sharing.bootstrap, exported.get(), sharing.timeout);
  import_all([&](int p) {
    // The driver takes a descriptor as the value of the pointer.
    return reinterpret_cast<void*>(static_cast<std::intptr_t>(received[static_cast<std::size_t>(p)].descriptor.get()));
  });
  return handles;
}

}  // namespace

std::vector<CUdevice> CudaSharing::devices() const {
  if (!threads) return {place.device};
  std::vector<CUdevice> all;
  for (CudaGpu const& gpu : gpus) all.push_back(gpu.device);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void CudaSharing::step(char const* name, std::function<void()> const& action) const {
  vote(bootstrap, name, [&] {
    CudaCurrent const current(driver, place);
    action();
  });
}

std::vector<CudaHandle> exchange_handles(CudaSharing const& sharing, CUmemGenericAllocationHandle mine) {
  return pass_handles(sharing, mine, sharing.size());
}

CudaHandle broadcast_handle(CudaSharing const& sharing, CUmemGenericAllocationHandle of_first) {
  return std::move(pass_handles(sharing, of_first, 1).front());
}

}  // namespace Koinon::Impl
