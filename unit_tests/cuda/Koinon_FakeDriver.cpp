// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/Koinon_FakeCalls.hpp>

#include <cstdio>
#include <iterator>
#include <new>
#include <sstream>
#include <sys/mman.h>
#include <unistd.h>

namespace Koinon::Testing {

FakeDriver::FakeDriver(std::vector<FakeGpu> gpus) : m_gpus(std::move(gpus)) {
  fill_devices();
  fill_allocations();
  fill_ipc();
  fill_mappings();
  fill_multicast();
  fake = this;
  Impl::replace_cuda_driver(&m_table);
}

FakeDriver::~FakeDriver() {
  Impl::replace_cuda_driver(nullptr);
  fake = nullptr;
}

Impl::CudaPlace FakeDriver::place(int gpu) const {
  return {gpu, context_of(gpu)};
}

std::string FakeDriver::bus_id(int gpu) {
  char text[20];
  std::snprintf(text, sizeof text, "0000:%02x:00.0", static_cast<unsigned>(gpu) + 16);
  return text;
}

void FakeDriver::know(void const* at, std::size_t bytes, Origin origin, int gpu) {
  std::lock_guard const lock(m_mutex);
  m_known[reinterpret_cast<CUdeviceptr>(at)] = {bytes, origin, gpu};
}

void FakeDriver::forget(void const* at) {
  std::lock_guard const lock(m_mutex);
  m_known.erase(reinterpret_cast<CUdeviceptr>(at));
}

void FakeDriver::open(int to, int of) {
  std::lock_guard const lock(m_mutex);
  m_opened.insert({to, of});
}

void FakeDriver::capture(CUstream stream, std::uint64_t id) {
  std::lock_guard const lock(m_mutex);
  m_captures[stream] = id;
}

std::vector<std::pair<CUstream, CUstream>> FakeDriver::waits() const {
  std::lock_guard const lock(m_mutex);
  return m_waits;
}

FakeDriver::Known const* FakeDriver::known_at(CUdeviceptr at) const {
  auto const next = m_known.upper_bound(at);
  if (next == m_known.begin()) return nullptr;
  auto const& [begin, known] = *std::prev(next);
  return at - begin < known.bytes ? &known : nullptr;
}

CUresult FakeDriver::make_file(Shared const& contents, Object& object) {
  object.fd = memfd_create("koinon-fake", MFD_CLOEXEC);
  if (object.fd < 0 || ftruncate(object.fd, static_cast<off_t>(contents.bytes + fake_page_bytes)) != 0)
    return CUDA_ERROR_OUT_OF_MEMORY;
  void* const page =
      mmap(nullptr, fake_page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, object.fd, static_cast<off_t>(contents.bytes));
  if (page == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  object.shared = new (page) Shared(contents);
  // Memory of a driver is what others left there.
  std::vector<unsigned char> const rubbish(std::min<std::size_t>(contents.bytes, 64 << 10), 0xA5);
  if (!contents.multicast && pwrite(object.fd, rubbish.data(), rubbish.size(), 0) < 0) return CUDA_ERROR_OUT_OF_MEMORY;
  return CUDA_SUCCESS;
}

CUresult FakeDriver::make_object(Shared const& contents, CUmemGenericAllocationHandle* handle) {
  Object object;
  if (CUresult const made = make_file(contents, object); made != CUDA_SUCCESS) return made;
  *handle = m_next_handle++;
  m_objects[*handle] = object;
  m_references[*handle] = 1;
  return CUDA_SUCCESS;
}

FakeDriver::Object* FakeDriver::find(CUmemGenericAllocationHandle handle) {
  auto const found = m_objects.find(handle);
  return found == m_objects.end() ? nullptr : &found->second;
}

void FakeDriver::drop_if_unused(CUmemGenericAllocationHandle handle) {
  if (m_references[handle] > 0) return;
  for (auto const& [at, mapping] : m_mappings) {
    if (mapping.handle == handle) return;
  }
  // What is bound keeps its memory, and goes with the object.
  std::erase_if(m_bindings, [&](auto const& binding) { return binding.first == handle; });
  Object const& object = m_objects.at(handle);
  munmap(object.shared, fake_page_bytes);
  close(object.fd);
  m_objects.erase(handle);
  m_references.erase(handle);
}

int FakeDriver::current_gpu() const {
  return contexts.empty() ? -1 : gpu_of(contexts.back());
}

bool FakeDriver::accessible(int gpu, CUdeviceptr at, std::size_t bytes) const {
  while (bytes > 0) {
    CUdeviceptr end = 0;
    if (auto next = m_mappings.upper_bound(at); next != m_mappings.begin()) {
      auto const& [begin, mapping] = *std::prev(next);
      bool const multicast = m_objects.at(mapping.handle).shared->multicast;
      if (at < begin + mapping.bytes && !multicast && mapping.gpus.contains(gpu)) end = begin + mapping.bytes;
    }
    if (auto next = m_allocations.upper_bound(at); end == 0 && next != m_allocations.begin()) {
      auto const& [begin, block] = *std::prev(next);
      bool const open = block.gpu == gpu || m_opened.contains({gpu, block.gpu});
      if (at < begin + block.bytes && open) end = begin + block.bytes;
    }
    if (auto next = m_opened_blocks.upper_bound(at); end == 0 && next != m_opened_blocks.begin()) {
      auto const& [begin, block] = *std::prev(next);
      if (at < begin + block.bytes && block.gpu == gpu) end = begin + block.bytes;
    }
    if (end == 0) return false;
    std::size_t const part = std::min<std::size_t>(bytes, end - at);
    at += part;
    bytes -= part;
  }
  return true;
}

bool FakeDriver::can_access(int gpu, void const* at, std::size_t bytes) const {
  std::lock_guard const lock(m_mutex);
  return accessible(gpu, reinterpret_cast<CUdeviceptr>(at), bytes);
}

int FakeDriver::bound_at(void const* at) const {
  std::lock_guard const lock(m_mutex);
  auto const found = m_mappings.find(reinterpret_cast<CUdeviceptr>(at));
  if (found == m_mappings.end() || !m_objects.at(found->second.handle).shared->multicast) return -1;
  return std::popcount(m_objects.at(found->second.handle).shared->bound.load());
}

std::string FakeDriver::live() const {
  std::lock_guard const lock(m_mutex);
  std::ostringstream text;
  auto const tell = [&](char const* what, std::size_t count) {
    if (count > 0) text << count << " " << what << " ";
  };
  tell("objects", m_objects.size());
  tell("reservations", m_reservations.size());
  tell("mappings", m_mappings.size());
  tell("bindings", m_bindings.size());
  tell("allocations", m_allocations.size());
  tell("opened allocations", m_opened_blocks.size());
  tell("pinned blocks", m_pinned.size());
  tell("registered pages", m_registered.size());
  tell("streams", m_streams.size());
  tell("events", m_events.size());
  tell("contexts pushed", static_cast<std::size_t>(m_pushed));
  return text.str();
}

}  // namespace Koinon::Testing
