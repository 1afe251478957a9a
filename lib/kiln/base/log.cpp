// Holds the callback of cache::set_log, and writes where KILN_LOG says.
#include "base/log.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/file_descriptor.hpp"

namespace kiln::base {
namespace {

using Callback = std::function<void(std::string_view)>;

// Never destroyed: a fault may have to be reported while the program exits. The mutex covers only the copying of the pointer.
constinit std::mutex callback_mutex;
constinit std::shared_ptr<const Callback>* callback = nullptr;

// A thread of the parent may hold the mutex at a fork, and would never release it in the child.
void survive_forks() {
  static constinit std::atomic<bool> registered{false};
  if (registered.exchange(true)) return;
  pthread_atfork([] { callback_mutex.lock(); }, [] { callback_mutex.unlock(); }, [] { callback_mutex.unlock(); });
}

}  // namespace

void set_log(std::function<void(std::string_view)> function) {
  survive_forks();
  auto replacement = function ? std::make_shared<const Callback>(std::move(function)) : nullptr;
  const std::lock_guard lock(callback_mutex);
  if (callback == nullptr) callback = std::make_unique<std::shared_ptr<const Callback>>().release();
  callback->swap(replacement);
}

namespace {

/// While one lives, a pipe that nobody reads is an error of write(2), and does not end the process.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec at_once{};
    while (!was_pending_ && ::sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;  ///< it is the host program's
};

// By one write, so that lines of several processes stay whole.
void write_to(int file, std::string_view line) {
  std::string text = "kiln[" + std::to_string(::getpid()) + "]: ";
  text += line;
  std::replace(text.begin(), text.end(), '\n', ' ');
  text += '\n';
  const NoPipeSignal no_signal;
  [[maybe_unused]] const ssize_t written = ::write(file, text.data(), text.size());
}

// True where someone has the line.
bool hand_on(std::string_view line) {
  survive_forks();
  std::shared_ptr<const Callback> current;
  {
    const std::lock_guard lock(callback_mutex);
    if (callback != nullptr) current = *callback;
  }
  bool written = false;
  const std::string wanted = env("KILN_LOG").value_or("");
  if (wanted == "1" && current == nullptr) {
    write_to(STDERR_FILENO, line);
    written = true;
  } else if (wanted != "1" && wanted != "0" && !wanted.empty()) {
    // Opened for each line: there are few, and a child process may have closed what is open.
    const auto file = FileDescriptor::open(wanted, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY, 0666);
    static std::atomic<bool> complained{false};
    if (file) {
      write_to(file.get(), line);
    } else if (!complained.exchange(true)) {
      write_to(STDERR_FILENO, "cannot open KILN_LOG " + wanted + ": " + errno_text(errno));
    }
    written = bool(file);
  }
  if (current != nullptr) (*current)(line);
  return written || current != nullptr;
}

}  // namespace

void log_line(std::string_view line) noexcept {
  try {
    static_cast<void>(hand_on(line));
  } catch (...) {
    // A log that fails must not fail the call that had something to say.
  }
}

void tell_line(std::string_view line) noexcept {
  try {
    if (!hand_on(line)) write_to(STDERR_FILENO, line);
  } catch (...) {
    // Likewise.
  }
}

}  // namespace kiln::base
