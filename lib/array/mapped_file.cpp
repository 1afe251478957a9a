#include "array/mapped_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <utility>

#include "base/file.hpp"
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

struct sigaction before{};  // the handler that was there

void pass_on(int signal, siginfo_t* info, void* context) {
  if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  } else if (before.sa_handler == SIG_DFL) {
    // Ends the process when this returns, as it would have.
    std::signal(signal, SIG_DFL);
    raise(signal);
  }
}

Slot* slot_of(std::uintptr_t address) noexcept {
  const std::size_t count = used.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i) {
    Slot& slot = slots[i];
    if (slot.file.load(std::memory_order_acquire) != nullptr && address >= slot.begin && address < slot.end) return &slot;
  }
  return nullptr;
}

std::atomic<int>* torn_count = nullptr;

/// Puts a page of zeros where the file has none any more.
void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const bool of_access = info->si_code > 0;  // else a signal that someone sent
  if (Slot* const slot = of_access ? slot_of(address) : nullptr) {
    static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    void* const at = reinterpret_cast<void*>(address / page * page);
    if (mmap(at, page, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) {
      if (!slot->torn.exchange(true)) torn_count->fetch_add(1, std::memory_order_relaxed);
      errno = saved;
      return;
    }
  }
  errno = saved;
  pass_on(signal, info, context);
}

void install_handler(std::atomic<int>* count) {
  static const bool installed = [count] {
    torn_count = count;
    struct sigaction ours{};
    ours.sa_sigaction = on_bus_error;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    sigaction(SIGBUS, &ours, &before);
    return true;
  }();
  static_cast<void>(installed);
}

std::size_t mapped_bytes(std::size_t bytes) {
  return bytes == 0 ? 1 : bytes;
}

}  // namespace

std::atomic<int> MappedFile::torn_files{0};

MappedFile::MappedFile(base::FileDescriptor file, std::string shown, std::size_t bytes, bool writable)
    : file_(std::move(file)), shown_(std::move(shown)), bytes_(bytes) {
  install_handler(&torn_files);
  void* const mapped =
      mmap(nullptr, mapped_bytes(bytes), writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file_.get(), 0);
  if (mapped == MAP_FAILED) throw IoError("failed to map \"" + shown_ + "\": " + base::errno_text(errno));
  data_ = static_cast<char*>(mapped);
  const std::lock_guard guard(slots_mutex);
  while (slot_ < kMost && slots[slot_].file.load(std::memory_order_relaxed) != nullptr) ++slot_;
  if (slot_ == kMost) {
    munmap(mapped, mapped_bytes(bytes));
    throw IoError("failed to map \"" + shown_ + "\": " + std::to_string(kMost) + " files are mapped, which is the most");
  }
  Slot& slot = slots[slot_];
  slot.begin = reinterpret_cast<std::uintptr_t>(data_);
  slot.end = reinterpret_cast<std::uintptr_t>(data_) + mapped_bytes(bytes);
  slot.torn = false;
  slot.file.store(this, std::memory_order_release);
  if (slot_ >= used.load(std::memory_order_relaxed)) used.store(slot_ + 1, std::memory_order_release);
}

MappedFile::~MappedFile() {
  munmap(data_, mapped_bytes(bytes_));
  const std::lock_guard guard(slots_mutex);
  Slot& slot = slots[slot_];
  if (slot.torn) torn_files.fetch_sub(1, std::memory_order_relaxed);
  slot.file.store(nullptr, std::memory_order_release);
}

void MappedFile::flush() const {
  check();
  if (msync(data_, mapped_bytes(bytes_), MS_SYNC) != 0) {
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
  // The array keeps its file, and so the slot.
  Slot* const slot = slot_of(reinterpret_cast<std::uintptr_t>(rep.data));
  return slot == nullptr ? nullptr : slot->file.load(std::memory_order_acquire);
}

}  // namespace kiln::detail
