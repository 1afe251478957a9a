// What runs in the handler is async-signal-safe: system calls, and reads of atomics. Thus getdents64, and not readdir.
#include "leftovers.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace kiln::tool {
namespace {

std::array<std::atomic<const char*>, 32> folders{};
static_assert(std::atomic<const char*>::is_always_lock_free);
std::atomic<pid_t> owner{0};

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGPIPE};
constexpr int kDeepest = 8;  // a cache's folders are two deep

void empty_folder(int folder, int depth) noexcept {
  alignas(dirent64) char block[4096];
  for (bool any = true; any;) {
    any = false;
    lseek(folder, 0, SEEK_SET);
    for (long size = 0; (size = syscall(SYS_getdents64, folder, block, sizeof block)) > 0;) {
      for (long at = 0; at < size;) {
        const auto* const entry = reinterpret_cast<const dirent64*>(block + at);
        at += entry->d_reclen;
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..") continue;
        if (unlinkat(folder, entry->d_name, 0) == 0) {
          any = true;
          continue;
        }
        const int inner =
            depth < kDeepest ? openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        if (inner < 0) continue;
        empty_folder(inner, depth + 1);
        close(inner);
        any = unlinkat(folder, entry->d_name, AT_REMOVEDIR) == 0 || any;
      }
    }
  }
}

void clean_up(int number) {
  // A child that has not yet started its program has none of this.
  if (getpid() == owner.load()) {
    for (const auto& slot : folders) {
      const char* const path = slot.load();
      if (path == nullptr) continue;
      const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (folder < 0) continue;
      empty_folder(folder, 0);
      close(folder);
      rmdir(path);
    }
  }
  raise(number);  // with its default action, once this handler has returned
}

}  // namespace

void clean_up_on_signals() {
  owner = getpid();
  struct sigaction action = {};
  action.sa_handler = &clean_up;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (const int number : kSignals) {
    struct sigaction before = {};
    sigaction(number, nullptr, &before);
    // `kiln … | head` ends quietly, whatever the shell that started us did with the signal.
    if (before.sa_handler == SIG_IGN && number != SIGPIPE) continue;
    sigaction(number, &action, nullptr);
  }
  // A handler of its own, where SIG_IGN would be inherited by the programs that are started.
  struct sigaction nothing = {};
  nothing.sa_handler = [](int) {};
  nothing.sa_flags = SA_RESTART;
  sigemptyset(&nothing.sa_mask);
  sigaction(SIGXFSZ, &nothing, nullptr);
}

SignalsHeld::SignalsHeld() noexcept {
  sigset_t held;
  sigemptyset(&held);
  for (const int number : kSignals) sigaddset(&held, number);
  pthread_sigmask(SIG_BLOCK, &held, &before_);
}

SignalsHeld::~SignalsHeld() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

Leftover::Leftover(const char* folder) noexcept {
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const char* none = nullptr;
    if (!folders[i].compare_exchange_strong(none, folder)) continue;
    slot_ = static_cast<int>(i);
    return;
  }
}

Leftover::~Leftover() {
  if (slot_ >= 0) folders[static_cast<std::size_t>(slot_)] = nullptr;
}

}  // namespace kiln::tool
