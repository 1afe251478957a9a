#include "interrupt.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "errors.hpp"

namespace kiln::python {
namespace {

int pipe_ends[2] = {-1, -1};
pid_t watcher_process = 0;
struct sigaction previous;
std::atomic<bool> requested{false};
std::atomic<bool> in_use{false};
pthread_mutex_t current_mutex = PTHREAD_MUTEX_INITIALIZER;
kiln_stop* current = nullptr;

void handle(int number) {
  const int error = errno;
  requested.store(true);
  if (write(pipe_ends[1], "", 1) < 0) {
    // A full pipe has a byte for the watcher already.
  }
  errno = error;
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) previous.sa_handler(number);
}

void* watch(void*) {
  char byte = 0;
  while (read(pipe_ends[0], &byte, 1) == 1) {
    pthread_mutex_lock(&current_mutex);
    if (current != nullptr) kiln_stop_request(current);
    pthread_mutex_unlock(&current_mutex);
  }
  return nullptr;
}

/// Starts the watcher of this process: threads do not outlive fork().
bool start_watcher() noexcept {
  const pid_t process = getpid();
  if (watcher_process == process) return true;
  if (pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
  fcntl(pipe_ends[0], F_SETFL, 0);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const int failed = pthread_create(&thread, nullptr, watch, nullptr);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failed != 0) return false;
  pthread_detach(thread);
  watcher_process = process;
  return true;
}

/// The longest time between two looks for signals.
constexpr std::int64_t kSliceNs = 20'000'000;

bool in_main_thread() noexcept {
  return gettid() == getpid();
}

/// Waits without the GIL until the event is reached, or fails. Returns false with the exception of a handler of signals.
bool wait_with_signals(const kiln_event* event, kiln_status& status, Error& error) {
  while (true) {
    std::int32_t done = 0;
    {
      const Unlocked unlocked;
      status = kiln_event_wait_for(&done, event, kSliceNs, error.out());
    }
    if (status != KILN_OK || done != 0) return true;
    if (PyErr_CheckSignals() != 0) return false;
  }
}

}  // namespace

Interrupt::Interrupt(bool wanted) noexcept {
  if (!wanted || !in_main_thread() || in_use.exchange(true)) return;
  if (!start_watcher() || kiln_stop_new(stop_.out(), nullptr) != KILN_OK) {
    in_use.store(false);
    return;
  }
  struct sigaction mine{};
  mine.sa_handler = handle;
  sigemptyset(&mine.sa_mask);
  if (sigaction(SIGINT, nullptr, &previous) != 0 || (previous.sa_flags & SA_SIGINFO) != 0 || previous.sa_handler == SIG_DFL ||
      previous.sa_handler == SIG_IGN) {
    in_use.store(false);
    return;
  }
  requested.store(false);
  pthread_mutex_lock(&current_mutex);
  current = stop_.get();
  pthread_mutex_unlock(&current_mutex);
  mine.sa_flags = previous.sa_flags;
  sigaction(SIGINT, &mine, nullptr);
  active_ = true;
}

Interrupt::~Interrupt() {
  if (!active_) return;
  struct sigaction now{};
  sigaction(SIGINT, nullptr, &now);
  if (now.sa_handler == handle) sigaction(SIGINT, &previous, nullptr);
  pthread_mutex_lock(&current_mutex);
  current = nullptr;
  pthread_mutex_unlock(&current_mutex);
  in_use.store(false);
}

bool Interrupt::came() const noexcept {
  return active_ && requested.load();
}

bool wait_for(const kiln_event* event) {
  Error error;
  kiln_status status = KILN_OK;
  if (in_main_thread()) {
    if (!wait_with_signals(event, status, error)) return false;
  } else {
    const Unlocked unlocked;
    status = kiln_event_synchronize(event, error.out());
  }
  return status == KILN_OK || error.raise() != nullptr;
}

bool wait_for_work(kiln_device device, const kiln_stream* stream) {
  if (!in_main_thread()) return true;
  EventHandle event;
  kiln_status status = KILN_OK;
  Error error;
  return kiln_event_new(event.out(), device, error.out()) != KILN_OK ||
         kiln_event_record(event.get(), stream, error.out()) != KILN_OK || wait_with_signals(event.get(), status, error);
}

}  // namespace kiln::python
