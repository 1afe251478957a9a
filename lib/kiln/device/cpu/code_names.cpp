#include "device/cpu/code_names.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <mutex>

#include "base/environment.hpp"
#include "base/file_descriptor.hpp"

extern "C" {

// The layout and the names are gdb's ("JIT Compilation Interface" of its manual): it stops at the function, and reads the list.
struct JitCodeEntry {
  JitCodeEntry* next_entry;
  JitCodeEntry* prev_entry;
  const char* symfile_addr;
  std::uint64_t symfile_size;
};

struct JitDescriptor {
  std::uint32_t version;
  std::uint32_t action_flag;
  JitCodeEntry* relevant_entry;
  JitCodeEntry* first_entry;
};

// Protected: another library of the process may have a list of its own under the same names.
__attribute__((visibility("protected"), noinline)) void __jit_debug_register_code();  // NOLINT(bugprone-reserved-identifier)
void __jit_debug_register_code() {
  asm volatile("" : : : "memory");
}
__attribute__((visibility("protected"))) extern JitDescriptor
    __jit_debug_descriptor;  // NOLINT(bugprone-reserved-identifier,readability-identifier-naming)
JitDescriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};
}

namespace kiln::backend::cpu {
namespace {

enum class Action : std::uint32_t { none, added, removed };

std::mutex& list_mutex() {
  static auto* const mutex = new std::mutex;  // kernels may outlive every static object
  return *mutex;
}

void tell(JitCodeEntry* entry, Action action) noexcept {
  __jit_debug_descriptor.relevant_entry = entry;
  __jit_debug_descriptor.action_flag = static_cast<std::uint32_t>(action);
  __jit_debug_register_code();
  __jit_debug_descriptor.action_flag = static_cast<std::uint32_t>(Action::none);
  __jit_debug_descriptor.relevant_entry = nullptr;
}

void add(JitCodeEntry& entry) noexcept {
  entry.next_entry = __jit_debug_descriptor.first_entry;
  if (entry.next_entry != nullptr) entry.next_entry->prev_entry = &entry;
  __jit_debug_descriptor.first_entry = &entry;
  tell(&entry, Action::added);
}

void remove(JitCodeEntry& entry) noexcept {
  if (entry.next_entry != nullptr) entry.next_entry->prev_entry = entry.prev_entry;
  (entry.prev_entry != nullptr ? entry.prev_entry->next_entry : __jit_debug_descriptor.first_entry) = entry.next_entry;
  tell(&entry, Action::removed);
}

/// Everybody may make a file of that name. A pipe would hold up the kernel, and a file of another user is not for names.
base::FileDescriptor perf_map() noexcept {
  auto file = base::FileDescriptor::open("/tmp/perf-" + std::to_string(::getpid()) + ".map",
                                         O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0600);
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) return {};
  return file;
}

/// perf reads the map when it reports. A child of a fork has a map of its own, without its parent's kernels.
void add_to_perf_map(const std::string& kernel, const CodeSymbols& symbols) noexcept {
  const base::FileDescriptor file = perf_map();
  if (!file) return;
  char line[512];
  const int size = std::snprintf(line, sizeof(line), "%lx %lx %.400s\n", static_cast<unsigned long>(symbols.address),
                                 static_cast<unsigned long>(symbols.size), kernel.c_str());
  static_cast<void>(::write(file.get(), line, static_cast<std::size_t>(size)) == size);  // names are lost, and nothing else
}

}  // namespace

bool perf_map_is_wanted() {
  static const bool wanted = base::env("KILN_PERF_MAP") == "1";
  return wanted;
}

struct CodeNames::Entry : JitCodeEntry {
  explicit Entry(std::string bytes) : JitCodeEntry{}, file(std::move(bytes)) {
    symfile_addr = file.data();
    symfile_size = file.size();
  }
  std::string file;
};

CodeNames::CodeNames(const std::string& kernel, const CodeSymbols& symbols, bool in_perf_map)
    : entry_(std::make_unique<Entry>(symbol_file(symbols))) {
  if (in_perf_map) add_to_perf_map(kernel, symbols);
  const std::lock_guard guard(list_mutex());
  add(*entry_);
}

CodeNames::~CodeNames() {
  const std::lock_guard guard(list_mutex());
  remove(*entry_);
}

}  // namespace kiln::backend::cpu
