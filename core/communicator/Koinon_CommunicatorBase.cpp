// SPDX-FileCopyrightText: Koinon contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <communicator/Koinon_CommunicatorBase.hpp>

#include <Koinon_Error.hpp>
#include <communicator/Koinon_CommunicatorState.hpp>
#include <communicator/Koinon_ToolsEvent.hpp>
#include <communicator/Koinon_TuningFile.hpp>
#include <node/Koinon_Vote.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <sstream>

namespace Koinon::Impl {

namespace {

/// Is what must be equal on all ranks, each with the name under which a difference is told.
struct Agreed {
  struct Value {
    char name[40];
    std::int64_t value;
  };
  Value values[6];
};

void agree(Bootstrap& bootstrap, Agreed const& mine) {
  std::vector<Agreed> const all = gather_values(bootstrap, mine);
  for (std::size_t v = 0; v < std::size(mine.values); ++v) {
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
      if (all[rank].values[v].value == all[0].values[v].value) continue;
      throw MismatchError(std::string("Koinon::Communicator: ") + mine.values[v].name + " differs over ranks: rank 0 has " +
                          std::to_string(all[0].values[v].value) + ", rank " + std::to_string(rank) + " has " +
                          std::to_string(all[rank].values[v].value));
    }
  }
}

void check_options(CommunicatorOptions const& options) {
  constexpr std::size_t least_staging = std::size_t{64} << 10;
  if (*options.staging_bytes < least_staging) {
    throw InvalidArgument("Koinon::Communicator: staging_bytes is " + std::to_string(*options.staging_bytes) +
                          ", at least " + std::to_string(least_staging) + " expected");
  }
  constexpr std::size_t most = std::size_t{48} << 30;
  if (*options.staging_bytes > most || *options.symmetric_bytes > most) {
    throw InvalidArgument("Koinon::Communicator: staging_bytes " + std::to_string(*options.staging_bytes) +
                          " and symmetric_bytes " + std::to_string(*options.symmetric_bytes) + " may be at most " +
                          std::to_string(most) + " each");
  }
  if (options.timeout.count() < 0) throw InvalidArgument("Koinon::Communicator: a negative timeout was given");
  if (options.concurrent_communicators < 1) {
    throw InvalidArgument("Koinon::Communicator: concurrent_communicators is " +
                          std::to_string(options.concurrent_communicators) + ", at least 1 expected");
  }
}

/// Returns a number that all ranks of a communicator share and others most likely do not: rank 0's identity, mixed.
std::uint32_t name_of(Identity const& first) {
  std::uint64_t bits = first.process_token[0] ^ static_cast<std::uint64_t>(first.process_id) << 32 ^ first.communicator;
  bits *= 0x9E3779B97F4A7C15ull;
  return static_cast<std::uint32_t>(bits >> 32 ^ bits);
}

/// Refuses a segment in which an array's place does not fit the entry words: there offsets are multiples of 16 in 32 bits,
/// of which the last stands for an absent array.
void check_layout(SegmentLayout const& layout) {
  constexpr std::size_t most = (std::size_t{1} << 36) - 4096;
  if (layout.bytes <= most) return;
  throw InvalidArgument("Koinon::Communicator: staging_bytes and symmetric_bytes make a segment of " +
                        std::to_string(layout.bytes) + " bytes a rank, at most " + std::to_string(most) + " expected");
}

void log_lines(Log const& log, LogLevel level, std::string const& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) log.write(level, line);
}

std::string bracketed(std::string_view label) { return label.empty() ? "" : " [" + std::string(label) + "]"; }

}  // namespace

CommunicatorBase::CommunicatorBase(Bootstrap& bootstrap, CommunicatorOptions const& options, BackendFacts backend)
    : m_rank(bootstrap.rank()),
      m_size(bootstrap.size()),
      m_options(options),
      m_backend(std::move(backend)),
      m_exceptions_at_start(std::uncaught_exceptions()) {
  // The raw variables are compared first, so that a wrong value is the same error on all ranks.
  agree_on_environment(bootstrap);
  m_environment = read_environment();
  if (m_environment.timeout) m_options.timeout = *m_environment.timeout;
  if (!m_options.staging_bytes) m_options.staging_bytes = m_backend.default_staging_bytes;
  if (!m_options.symmetric_bytes) m_options.symmetric_bytes = m_backend.default_symmetric_bytes;
  if (!m_options.zero_copy_bytes) m_options.zero_copy_bytes = m_backend.default_zero_copy_bytes;
  m_zero_copy_bytes = *m_options.zero_copy_bytes;

  std::hash<std::string_view> const hash;
  std::string tuning;
  vote(bootstrap, "reading the tuning file", [&] {
    if (!m_environment.tuning_file.empty()) tuning = read_file(m_environment.tuning_file);
  });
  agree(bootstrap,
        {{{"staging_bytes", static_cast<std::int64_t>(*m_options.staging_bytes)},
          {"symmetric_bytes", static_cast<std::int64_t>(*m_options.symmetric_bytes)},
          {"timeout in nanoseconds", m_options.timeout.count()},
          {"concurrent_communicators", m_options.concurrent_communicators},
          {"the hash of backend and architecture",
           static_cast<std::int64_t>(hash(m_backend.facts.backend.view()) * 31 + hash(m_backend.facts.architecture.view()))},
          {"the hash of the tuning file", static_cast<std::int64_t>(hash(tuning))}}});
  agree(bootstrap, {{{"launch_number", m_options.launch_number},
                     {"zero_copy_bytes", static_cast<std::int64_t>(*m_options.zero_copy_bytes)},
                     {},
                     {},
                     {},
                     {}}});
  check_options(m_options);
  m_tunings = TuningTable(m_backend.tunings,
                          m_environment.tuning_file.empty() ? std::vector<TuningEntry>()
                                                            : read_tuning_text(m_environment.tuning_file, tuning));

  agree_on_multicast(bootstrap, m_environment);
  Identity identity;
  vote(bootstrap, "identifying the process", [&] { identity = local_identity(); });
  m_identities = gather_values(bootstrap, identity);
  for (std::size_t p = 1; p < m_identities.size(); ++p) {
    if (m_identities[p].same_host(m_identities[0])) continue;
    throw UnsupportedError(std::string("Koinon::Communicator: rank 0 is on host ") + m_identities[0].host + " (boot " +
                           m_identities[0].boot_id + "), rank " + std::to_string(p) + " on host " + m_identities[p].host +
                           " (boot " + m_identities[p].boot_id + "): this build has no engine between nodes");
  }
  if (m_environment.ranks_per_node && *m_environment.ranks_per_node < m_size) {
    throw UnsupportedError("Koinon::Communicator: KOINON_RANKS_PER_NODE=" + std::to_string(*m_environment.ranks_per_node) +
                           " splits " + std::to_string(m_size) + " ranks into nodes: this build has no engine between nodes");
  }
  std::vector<std::uint64_t> const keys = gather_values(bootstrap, m_backend.instance_key);
  for (std::size_t p = 0; p < keys.size(); ++p) {
    for (std::size_t q = 0; q < p && keys[p] != 0; ++q) {
      if (keys[p] != keys[q] || !m_identities[p].same_process(m_identities[q])) continue;
      throw InvalidArgument("Koinon::Communicator: thread ranks " + std::to_string(q) + " and " + std::to_string(p) +
                            " have the same execution space instance: give each rank its own");
    }
  }
  m_backend.facts.ranks = m_size;
  // Blocks wait for blocks of other ranks and communicators: all of a device must be resident at once.
  std::vector<std::uint64_t> const devices = gather_values(bootstrap, m_backend.device_key);
  if (m_backend.device_key != 0) {
    auto const sharing = static_cast<std::int32_t>(std::count(devices.begin(), devices.end(), m_backend.device_key));
    m_backend.facts.max_blocks = std::max(1, m_backend.facts.max_blocks / (sharing * m_options.concurrent_communicators));
  }
  for (std::int32_t const blocks : gather_values(bootstrap, m_backend.facts.max_blocks)) {
    m_backend.facts.max_blocks = std::min(m_backend.facts.max_blocks, blocks);
  }
  m_control = std::make_unique<ControlPlane>(bootstrap, m_identities, m_options.timeout);
  m_log = Log(m_environment.log, m_rank, m_size, name_of(m_identities[0]));
  m_publishes_calls = m_environment.check_calls || m_log.writes(LogLevel::trace);
  vote(bootstrap, "watching the peers",
       [&] { m_health = std::make_unique<Health>(*m_control, m_options.timeout, m_log); });
}

CommunicatorBase::~CommunicatorBase() = default;

void CommunicatorBase::open_segment(bool has_sentinels) {
  m_health->set_call("making a communicator", "");
  SegmentLayout const layout =
      make_segment_layout(m_size, m_backend.facts.max_blocks, *m_options.staging_bytes, *m_options.symmetric_bytes,
                          has_sentinels);
  check_layout(layout);  // equal on all ranks: all refuse it
  std::byte* base = nullptr;
  std::ptrdiff_t stride = 0;
  map_segment(layout, base, stride);

  m_device.m_base = base;
  m_device.m_stride = stride;
  m_device.m_rank = m_rank;
  m_device.m_size = m_size;
  m_device.m_layout = layout;
  for (int p = 0; p < std::min(m_size, DeviceCommunicator::most_device_ranks); ++p) m_device.m_segments[p] = base + p * stride;
  LaunchMemory const memory = make_launch_memory(m_options.launch_number);
  m_device.m_numbers = memory.numbers;
  m_device.m_known = memory.known;
  m_device.m_scratch = memory.scratch;
  m_published = m_options.launch_number;
  m_device.m_check_calls = m_environment.check_calls;
  m_symmetric_begin = reinterpret_cast<std::uintptr_t>(base + static_cast<std::ptrdiff_t>(m_rank) * stride) + layout.symmetric;
  m_heap = std::make_unique<SymmetricHeap>(layout.symmetric, layout.symmetric_bytes);
  m_offsets.resize(2 * (static_cast<std::size_t>(m_size) + 1));
  ControlBootstrap(*m_control).barrier();  // nobody signals before every segment is ready
  m_health->set_call("", "");
  if (m_log.writes(LogLevel::info)) {
    m_log.write(LogLevel::info, "made");
    log_lines(m_log, LogLevel::info, describe());
  }
}

LaunchMemory CommunicatorBase::make_launch_memory(LaunchNumber first) {
  std::size_t const blocks = static_cast<std::size_t>(m_device.m_layout.max_blocks);
  std::size_t const ranks = static_cast<std::size_t>(m_size);
  m_numbers = std::make_unique<LaunchNumber[]>(blocks);
  std::fill_n(m_numbers.get(), blocks, first);
  m_known = std::make_unique<LaunchNumber[]>(blocks);
  m_scratch = std::make_unique<std::uint64_t[]>(blocks * 4 * ranks);
  // Zeroed memory is launch number 0; a communicator that starts elsewhere has all ranks started there.
  for (int p = 0; p < m_size && first != 0; ++p) {
    std::atomic_ref(*m_device.started_word(m_rank, p)).store(first, std::memory_order_release);
  }
  return {m_numbers.get(), m_known.get(), m_scratch.get()};
}

void CommunicatorBase::close() noexcept {
  // Within the destructor of an object that an exception unwinds: the peers would wait for calls that never come.
  if (std::uncaught_exceptions() > m_exceptions_at_start && m_health->gate().is_open()) {
    m_health->abort("an exception unwound it");
  }
  // Before the farewell: once all have said it, nobody's launches reach for another's memory any more.
  bool const ended = await_launches();
  LaunchNumber const last = last_launch();
  m_health->leave(last);
  if (m_health->gate().state() == Gate::forked) return;
  try {
    if (!ended && m_log.writes(LogLevel::error)) {
      m_log.write(LogLevel::error, "destroyed while its launches run: the memory that they use stays for ever");
    }
    if (!m_log.writes(LogLevel::info)) return;
    m_log.write(LogLevel::info, "destroyed after launch " + std::to_string(last) +
                                    (m_health->gate().state() == Gate::failed ? ", failed" : ""));
  } catch (...) {  // lack of memory for a line
  }
}

std::byte* CommunicatorBase::allocate_symmetric(std::size_t bytes, std::string_view label) {
  require_good();
  m_health->set_call("symmetric allocation", label);
  ControlBootstrap everyone(*m_control);
  std::vector<std::size_t> const all = gather_values(everyone, bytes);
  for (std::size_t p = 1; p < all.size(); ++p) {
    if (all[p] == all[0]) continue;
    throw MismatchError("Koinon: symmetric allocation `" + std::string(label) + "`: rank 0 asks for " +
                        std::to_string(all[0]) + " bytes, rank " + std::to_string(p) + " for " + std::to_string(all[p]));
  }
  std::size_t const offset = m_heap->allocate(bytes, std::string(label));  // the same verdict on every rank
  std::byte* const p = m_device.segment(m_rank) + offset;
  fill_zero(p, bytes);
  everyone.barrier();  // zeroed on all ranks before anybody uses it
  tell_symmetric_allocation(std::string(label), p, bytes);
  if (m_log.writes(LogLevel::trace)) {
    m_log.write(LogLevel::trace, "symmetric memory" + bracketed(label) + ": " + std::to_string(bytes) +
                                     " bytes at offset " + std::to_string(offset));
  }
  return p;
}

void CommunicatorBase::free_symmetric(void const* p) {
  require_good();
  m_health->set_call("free_symmetric", "");
  std::uintptr_t const own = reinterpret_cast<std::uintptr_t>(m_device.segment(m_rank));
  std::uint64_t const offset = reinterpret_cast<std::uintptr_t>(p) - own;
  ControlBootstrap everyone(*m_control);
  constexpr std::uint64_t unknown = ~std::uint64_t{0};
  std::vector<std::uint64_t> const all = gather_values(everyone, m_heap->contains(offset) ? offset : unknown);
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (all[r] != unknown) continue;
    throw InvalidArgument("Koinon::free_symmetric: on rank " + std::to_string(r) +
                          " the array is not one that symmetric_array or symmetric_view gave, or is freed already");
  }
  for (std::size_t r = 1; r < all.size(); ++r) {
    if (all[r] == all[0]) continue;
    throw MismatchError("Koinon::free_symmetric: rank 0 frees offset " + std::to_string(all[0]) + ", rank " +
                        std::to_string(r) + " offset " + std::to_string(all[r]) + ": call in the same order on all ranks");
  }
  SymmetricHeap::Block const& block = m_heap->blocks().at(offset);
  tell_symmetric_deallocation(block.label, p, block.bytes);
  if (m_log.writes(LogLevel::trace)) {
    m_log.write(LogLevel::trace, "symmetric memory" + bracketed(block.label) + ": " + std::to_string(block.bytes) +
                                     " bytes at offset " + std::to_string(offset) + " freed");
  }
  m_heap->free(offset);
}

std::vector<int> CommunicatorBase::members_of(int color, int key) {
  require_good();
  m_health->set_call("split", "");
  struct Choice {
    int color;
    int key;
  };
  ControlBootstrap everyone(*m_control);
  std::vector<Choice> const all = gather_values(everyone, Choice{color, key});
  std::vector<int> members;
  for (int p = 0; p < m_size && color >= 0; ++p) {
    if (all[static_cast<std::size_t>(p)].color == color) members.push_back(p);
  }
  std::stable_sort(members.begin(), members.end(), [&](int a, int b) {
    return all[static_cast<std::size_t>(a)].key < all[static_cast<std::size_t>(b)].key;
  });
  if (m_log.writes(LogLevel::trace)) {
    m_log.write(LogLevel::trace, "split by color " + std::to_string(color) + ", key " + std::to_string(key) + ": " +
                                     (members.empty() ? "no communicator" : ranks_text(members) + " in this order"));
  }
  return members;
}

std::size_t checked_product(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    throw ResourceError("Koinon: an array of " + std::to_string(a) + " * " + std::to_string(b) + " bytes exceeds memory");
  }
  return product;
}

void CommunicatorBase::publish_call(std::string const& text) {
  // Where a device keeps the numbers, the host counts its calls: replays of graphs pass it by.
  std::uint32_t const number = next_launch_number(m_numbers ? m_numbers[0] : m_published);
  m_published = number;
  if (m_log.writes(LogLevel::trace)) {
    m_log.write(LogLevel::trace, "launch " + std::to_string(number) + bracketed(m_health->label()) + ": " + text);
  }
  if (!m_device.m_check_calls) return;
  char* const at = m_control->call_text(m_rank, number);
  std::size_t const n = std::min(text.size(), static_cast<std::size_t>(ControlPlane::ring_text) - 1);
  std::memcpy(at, text.data(), n);
  at[n] = '\0';
  std::uint64_t hash = 14695981039346656037ull;  // FNV-1a, 64 bits
  for (char const c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  m_device.m_call_hash = hash;
}

void CommunicatorBase::note_dropped(Operation operation, Selection const& selection) {
  if (selection.preferences_dropped.empty()) return;
  std::string text = std::string(to_string(operation)) + ":";
  for (std::size_t c = 0; c < enumerator_count<Category>; ++c) {
    if (selection.preferences_dropped.contains(static_cast<Category>(c))) {
      text += " " + std::string(to_string(static_cast<Category>(c)));
    }
  }
  if (m_dropped.find(text) != std::string::npos) return;
  m_dropped += (m_dropped.empty() ? "" : "; ") + text;
  if (m_log.writes(LogLevel::info)) m_log.write(LogLevel::info, "preferences not kept: " + text);
}

std::string CommunicatorBase::describe() const {
  std::ostringstream out;
  Facts const& f = m_backend.facts;
  SegmentLayout const& layout = m_device.m_layout;
  bool const threads = all_in_one_process(m_identities);
  char name[9];
  std::snprintf(name, sizeof name, "%08x", static_cast<unsigned>(name_of(m_identities[0])));
  out << "Koinon communicator " << name << ": rank " << m_rank << " of " << m_size << " on host " << m_identities[0].host << "\n"
      << "  backend        " << f.backend.view() << " (" << f.architecture.view() << "), " << m_backend.device << "\n"
      << "  ranks          " << (threads ? "threads of one process" : "processes, shared memory by descriptor") << "\n"
      << "  peer loads     yes\n"
      << "  multicast      " << m_backend.multicast
      << (m_environment.multicast_allowed ? "" : "; hardware multicast is off: " + m_environment.multicast_refusal) << "\n"
      << "  blocks         at most " << f.max_blocks << "\n"
      << "  segment        " << layout.bytes << " bytes a rank: words " << layout.packets << ", packets "
      << layout.sentinels - layout.packets << ", sentinels " << layout.staging - layout.sentinels << ", staging " << 4 * layout.part_bytes << ", symmetric " << layout.symmetric_bytes
      << "\n"
      << "  symmetric      " << (m_heap ? m_heap->used_bytes() : 0) << " bytes in use; arrays of " << m_zero_copy_bytes
      << " bytes and more are not copied\n"
      << "  timeout        ";
  if (m_options.timeout.count() == 0) {
    out << "off\n";
  } else {
    out << std::chrono::duration<double>(m_options.timeout).count() << " s\n";
  }
  out << "  dead ranks     " << (m_size == 1 ? "there are no peers" : m_health->peers().describe()) << "\n"
      << "  tuning         " << m_tunings.built_in().size() << " built-in entries, " << m_tunings.user().size() << " of "
      << (m_environment.tuning_file.empty() ? "no file" : m_environment.tuning_file) << "\n"
      << "  preferences    " << (m_dropped.empty() ? "all kept" : "not kept: " + m_dropped) << "\n";
  for (auto const& [offset, block] : m_heap ? m_heap->blocks() : std::map<std::size_t, SymmetricHeap::Block>{}) {
    out << "  array          `" << block.label << "` " << block.bytes << " bytes at offset " << offset << "\n";
  }
  return out.str();
}

}  // namespace Koinon::Impl
