#include "array/mapped_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <utility>

#include "array/access.hpp"
#include "base/file.hpp"
#include "base/signals.hpp"
#include "base/usable_memory.hpp"
#include "kiln/error.hpp"

namespace kiln::detail {
namespace {

/// A mapping as the handler of the signal sees it: without locks.
struct Slot {
  std::atomic<const MappedFile*> file{nullptr};  // null: free
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<bool> torn{false};
};
std::array<Slot, MappedFile::kMost> slots;
std::atomic<std::size_t> used{0};  // no slot from here on has ever been
std::mutex slots_mutex;            // of those who take and free them

Slot* slot_of(std::uintptr_t address) noexcept {
  const std::size_t count = used.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i) {
    Slot& slot = slots[i];
    if (slot.file.load(std::memory_order_acquire) != nullptr && address >= slot.begin && address < slot.end) return &slot;
  }
  return nullptr;
}

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

/// Puts a page of zeros where the file has none any more.
bool on_bus_error(int /*signal*/, const siginfo_t& info, const void* /*context*/) {
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  Slot* const slot = slot_of(address);
  if (slot == nullptr) return false;
  const std::uintptr_t page = page_bytes();
  void* const at = reinterpret_cast<void*>(address / page * page);
  if (mmap(at, page, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) return false;
  if (!slot->torn.exchange(true)) torn_files.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void install_handler() {
  page_bytes();  // not for the first time in the handler
  base::handle_signals(std::array{SIGBUS}, base::SignalOf::memory, on_bus_error);
}

}  // namespace

MappedFile::MappedFile(const base::FileDescriptor& file, std::string shown, std::size_t bytes, bool writable)
    : file_(writable ? fcntl(file.get(), F_DUPFD_CLOEXEC, 0) : -1), shown_(std::move(shown)), bytes_(bytes) {
  install_handler();
  void* const mapped = mmap(nullptr, bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) throw IoError("failed to map \"" + shown_ + "\": " + base::errno_text(errno));
  data_ = static_cast<char*>(mapped);
  const std::lock_guard guard(slots_mutex);
  while (slot_ < kMost && slots[slot_].file.load(std::memory_order_relaxed) != nullptr) ++slot_;
  if (slot_ == kMost) {
    munmap(mapped, bytes);
    throw IoError("failed to map \"" + shown_ + "\": " + std::to_string(kMost) + " files are mapped, which is the most");
  }
  Slot& slot = slots[slot_];
  slot.begin = reinterpret_cast<std::uintptr_t>(data_);
  slot.end = reinterpret_cast<std::uintptr_t>(data_) + bytes;
  slot.torn = false;
  slot.file.store(this, std::memory_order_release);
  if (slot_ >= used.load(std::memory_order_relaxed)) used.store(slot_ + 1, std::memory_order_release);
}

MappedFile::~MappedFile() {
  {
    const std::lock_guard guard(slots_mutex);
    Slot& slot = slots[slot_];
    if (slot.torn) torn_files.fetch_sub(1, std::memory_order_relaxed);
    slot.file.store(nullptr, std::memory_order_release);
  }
  // Not before: the addresses may be someone else's at once.
  munmap(data_, bytes_);
}

void MappedFile::flush() const {
  check();
  if (msync(data_, bytes_, MS_SYNC) != 0) {
    throw IoError("failed to write \"" + shown_ + "\": " + base::errno_text(errno));
  }
  check();
}

void MappedFile::check() const {
  if (!slots[slot_].torn) return;
  throw IoError("failed to read \"" + shown_ +
                "\": the file became shorter, or its disk failed, while it was mapped: what was not there counted as zeros");
}

const MappedFile* MappedFile::of(const ArrayRep& rep) noexcept {
  if (!rep.device.is_cpu()) return nullptr;
  // The array keeps its file, and so the slot. One without elements begins where the file ends, behind its header.
  Slot* const slot = slot_of(reinterpret_cast<std::uintptr_t>(rep.data) - (rep.size == 0 ? 1 : 0));
  return slot == nullptr ? nullptr : slot->file.load(std::memory_order_acquire);
}

MappedFile::Range MappedFile::range_of(const ArrayRep& rep) const noexcept {
  const Extent extent = covered(rep);
  const std::int64_t first = rep.data - data_;
  return {static_cast<std::size_t>(first + extent.low), static_cast<std::size_t>(first + extent.high)};
}

void MappedFile::will_need(const ArrayRep& rep) noexcept {
  const MappedFile* const file = of(rep);
  if (file == nullptr || rep.size == 0) return;
  const Range range = file->range_of(rep);
  const std::size_t begin = range.begin / page_bytes() * page_bytes();
  madvise(file->data_ + begin, range.end - begin, MADV_WILLNEED);
}

void MappedFile::done_with(const ArrayRep& rep) noexcept {
  const MappedFile* const file = of(rep);
  if (file == nullptr || rep.size == 0) return;
  static const std::size_t memory = base::usable_memory();
  if (file->bytes_ < memory / 4) return;
  Range range = file->range_of(rep);
  if (file->file_) {
    // The disk is waited for one range later, so that few bytes are on their way and the disk is never idle.
    const auto length = static_cast<off_t>(range.end - range.begin);
    const auto begin = static_cast<off_t>(range.begin);
    sync_file_range(file->file_.get(), begin, length, SYNC_FILE_RANGE_WRITE);
    if (begin < length) return;
    sync_file_range(file->file_.get(), begin - length, length,
                    SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
    range = {range.begin - static_cast<std::size_t>(length), range.begin};
  }
  // Whole pages: neighbours may be in use.
  const std::size_t begin = (range.begin + page_bytes() - 1) / page_bytes() * page_bytes();
  const std::size_t end = range.end / page_bytes() * page_bytes();
  if (begin < end) madvise(file->data_ + begin, end - begin, MADV_DONTNEED);
}

}  // namespace kiln::detail
