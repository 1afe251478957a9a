#include "device/cpu/code_arena.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

#include "device/cpu/loading.hpp"

namespace kiln::backend::cpu {
namespace {

constexpr std::size_t kArenaBytes = std::size_t{4} << 20;
constexpr int kExecutable = PROT_READ | PROT_EXEC;

std::size_t page_size() noexcept {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return page;
}

std::size_t whole_pages(std::size_t bytes) noexcept {
  return (bytes + page_size() - 1) / page_size() * page_size();
}

// A page in front of an arena stays empty: who checks a function before a call, as Clang's -fsanitize=function does, reads the
// bytes in front of it.
void* with_page_in_front(std::byte* arena) noexcept {
  return arena - page_size();
}

bool is_refusal(int error) noexcept {
  return error == EACCES || error == EPERM;
}

/// Empty pages that files are mapped over need not be executable: SELinux refuses that of memory that is no file.
void* map_empty(void* at, std::size_t size, CodeArenas::Store store) noexcept {
  const int protection = store == CodeArenas::Store::files ? PROT_READ : kExecutable;
  const int fixed = at != nullptr ? MAP_FIXED : 0;
  return ::mmap(at, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
}

bool fill_in_place(const CodePages& pages, std::span<const std::byte> bytes) noexcept {
  if (::mprotect(pages.begin, pages.size, PROT_READ | PROT_WRITE) != 0) return false;
  std::memcpy(pages.begin, bytes.data(), bytes.size());
  return ::mprotect(pages.begin, pages.size, kExecutable) == 0;
}

/// Where a process may not make executable what it has written (MemoryDenyWriteExecute of systemd, SELinux), files may be run.
bool fill_from_file(const CodePages& pages, std::span<const std::byte> bytes) noexcept {
  const base::FileDescriptor file = memory_file("kiln", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!file) return false;
  return ::mmap(pages.begin, pages.size, kExecutable, MAP_PRIVATE | MAP_FIXED, file.get(), 0) != MAP_FAILED;
}

}  // namespace

CodeArenas::~CodeArenas() {
  for (const auto& [begin, arena] : arenas_) ::munmap(with_page_in_front(begin), arena.size + page_size());
}

CodeArenas& CodeArenas::of_process() {
  static auto* const arenas = new CodeArenas;  // kernels may outlive every static object
  return *arenas;
}

std::optional<CodePages> CodeArenas::allocate(std::size_t bytes) {
  const std::size_t size = whole_pages(std::max<std::size_t>(bytes, 1));
  const std::lock_guard guard(mutex_);
  auto best = free_by_size_.lower_bound({size, nullptr});
  if (best == free_by_size_.end()) {
    if (!add_arena(size)) return std::nullopt;
    best = free_by_size_.lower_bound({size, nullptr});
  }
  const CodePages found{.begin = best->second, .size = best->first};
  arena_of(found.begin)->second.used += size;
  shorten_free(best, size);
  return CodePages{.begin = found.begin, .size = size};
}

bool CodeArenas::fill(const CodePages& pages, std::span<const std::byte> bytes) {
  const std::lock_guard guard(mutex_);  // neighbours that change together would need more mappings for a moment
  if (store_ == Store::protection && !fill_in_place(pages, bytes)) {
    if (!is_refusal(errno)) return false;
    store_ = Store::files;
  }
  if (store_ == Store::files && !fill_from_file(pages, bytes)) return false;
  __builtin___clear_cache(reinterpret_cast<char*>(pages.begin), reinterpret_cast<char*>(pages.begin + bytes.size()));
  return true;
}

void CodeArenas::free(const CodePages& pages) noexcept {
  const std::lock_guard guard(mutex_);
  // The pages stay executable, and empty: another protection would be a mapping more for each hole.
  if (store_ == Store::protection) {
    ::madvise(pages.begin, pages.size, MADV_DONTNEED);
  } else if (map_empty(pages.begin, pages.size, store_) == MAP_FAILED) {
    return;  // no mapping is left: the pages stay as they are, and are not used again
  }
  try {
    const auto arena = arena_of(pages.begin);
    arena->second.used -= pages.size;
    add_free(arena, pages);
    remove_if_spare(arena);
  } catch (const std::bad_alloc&) {  // not used again
  }
}

CodeArenas::Usage CodeArenas::usage() {
  const std::lock_guard guard(mutex_);
  Usage usage{.arenas = arenas_.size()};
  for (const auto& [begin, arena] : arenas_) usage.bytes += arena.used;
  return usage;
}

bool CodeArenas::add_arena(std::size_t bytes) {
  const std::size_t size = std::max(bytes, kArenaBytes);
  void* address = map_empty(nullptr, size + page_size(), store_);
  if (address == MAP_FAILED && store_ == Store::protection && is_refusal(errno)) {
    store_ = Store::files;
    address = map_empty(nullptr, size + page_size(), store_);
  }
  if (address == MAP_FAILED) return false;
  auto* const begin = static_cast<std::byte*>(address) + page_size();
  try {
    add_free(arenas_.emplace(begin, Arena{.size = size}).first, {.begin = begin, .size = size});
  } catch (const std::bad_alloc&) {
    free_.erase(begin);
    arenas_.erase(begin);
    ::munmap(address, size + page_size());
    errno = ENOMEM;
    return false;
  }
  return true;
}

CodeArenas::Arenas::iterator CodeArenas::arena_of(std::byte* address) {
  return std::prev(arenas_.upper_bound(address));
}

void CodeArenas::add_free(Arenas::iterator arena, CodePages pages) {
  const auto next = free_.find(pages.begin + pages.size);
  if (next != free_.end() && next->first != arena->first + arena->second.size) {
    pages.size += next->second;
    remove_free(next);
  }
  const auto above = free_.lower_bound(pages.begin);
  if (above != free_.begin() && pages.begin != arena->first) {
    const auto before = std::prev(above);
    if (before->first + before->second == pages.begin) {
      pages = {.begin = before->first, .size = before->second + pages.size};
      remove_free(before);
    }
  }
  free_.emplace(pages.begin, pages.size);
  free_by_size_.emplace(pages.size, pages.begin);
}

/// Allocates nothing: no range is lost where memory ends.
void CodeArenas::shorten_free(std::set<std::pair<std::size_t, std::byte*>>::iterator range, std::size_t taken) noexcept {
  auto by_address = free_.extract(range->second);
  auto by_size = free_by_size_.extract(range);
  by_address.key() += taken;
  by_address.mapped() -= taken;
  if (by_address.mapped() == 0) return;
  by_size.value() = {by_address.mapped(), by_address.key()};
  free_.insert(std::move(by_address));
  free_by_size_.insert(std::move(by_size));
}

void CodeArenas::remove_free(std::map<std::byte*, std::size_t>::iterator range) {
  free_by_size_.erase({range->second, range->first});
  free_.erase(range);
}

/// One empty arena stays: a program that loads and frees one kernel after the other would map it each time.
void CodeArenas::remove_if_spare(Arenas::iterator arena) {
  const auto empty = std::ranges::count_if(arenas_, [](const auto& each) { return each.second.used == 0; });
  if (arena->second.used != 0 || empty < 2) return;
  remove_free(free_.find(arena->first));
  ::munmap(with_page_in_front(arena->first), arena->second.size + page_size());
  arenas_.erase(arena);
}

}  // namespace kiln::backend::cpu
