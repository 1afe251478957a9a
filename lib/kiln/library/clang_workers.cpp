#include "library/clang_workers.hpp"

#include <pthread.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/file_descriptor.hpp"
#include "base/fork_safe_mutex.hpp"
#include "clang/driver/messages.hpp"
#include "kiln/error.hpp"
#include "library/clang_module.hpp"
#include "library/clang_version.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace kiln::backend::cpu {
namespace {

using base::FileDescriptor;

/// Of a burst of compiles of many threads some are kept.
constexpr std::size_t kMostIdle = 4;
constexpr const char* kProgram = "kiln-clang";

/// What a process may do that is started now. It keeps that, also where the thread that asks it has given it up.
struct Rights {
  uid_t user = ::geteuid();
  gid_t group = ::getegid();
  int seccomp = ::prctl(PR_GET_SECCOMP);
  int no_new_privileges = ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
  friend bool operator==(const Rights&, const Rights&) = default;
};

/// A process that compiles, or none.
struct Worker {
  FileDescriptor socket;
  struct stat file{};  ///< the socket's
  pid_t process = 0;
  Rights rights = {};
  explicit operator bool() const noexcept { return bool(socket); }
};

/// Never destroyed: threads compile until the process is gone.
struct Workers {
  std::string program;
  std::string module;
  base::ForkSafeMutex mutex;
  std::vector<Worker> idle;
  std::vector<pid_t> ended;  ///< or about to, and not waited for
};
Workers* workers = nullptr;

/// The host program may have closed what it did not open, and have the number for a file of its own.
void forget_closed(Worker& worker) {
  struct stat now{};
  const bool same =
      ::fstat(worker.socket.get(), &now) == 0 && now.st_ino == worker.file.st_ino && now.st_dev == worker.file.st_dev;
  if (!same) static_cast<void>(worker.socket.release());
}

/// It ends when its socket is closed. A host program that gets the orphans has it as a child by then, and waits for it here.
void drop(Worker worker) {
  forget_closed(worker);
  worker.socket = {};
  const std::lock_guard lock(workers->mutex);
  workers->ended.push_back(worker.process);
  std::erase_if(workers->ended, [](pid_t process) { return ::waitpid(process, nullptr, WNOHANG) != 0; });
}

/// errno's number where it could not be started; 0 otherwise.
int spawn(const std::string& program, const std::string& module, int socket) {
  constexpr int kSocket = 3;
  // Where vfork() is fork(), as under QEMU, posix_spawn() does not tell.
  if (::access(program.c_str(), X_OK) != 0) return errno;
  std::array<char*, 3> arguments{const_cast<char*>(program.c_str()), const_cast<char*>(module.c_str()), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, socket, kSocket);
  for (const int fd : {0, 1, 2}) posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  // What a host program blocks or ignores is its own business.
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int fault = posix_spawn(&child, program.c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  // It ends at once, and leaves the work to a process that is nobody's child. The host program may have waited for it before.
  int status = 0;
  while (fault == 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return fault;
}

/// DeviceError where it ends at once, which it may not do the next time.
Worker start(std::string& why_not) {
  const std::string& program = workers->program;
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    why_not = "no socket: " + base::errno_text(errno);
    return {};
  }
  Worker worker{.socket = FileDescriptor(ends[0])};
  {
    const FileDescriptor other(ends[1]);
    if (const int fault = spawn(program, workers->module, other.get()); fault != 0) {
      why_not = "failed to start " + program + ": " + base::errno_text(fault);
      return {};
    }
  }
  std::string message;
  if (!clang_messages::receive_message(worker.socket.get(), message)) {
    throw DeviceError("failed to compile: " + program + " ended when it was started, as it does where memory runs out");
  }
  const clang_messages::Greeting greeting = clang_messages::read_greeting(message);
  worker.process = greeting.process;
  ::fstat(worker.socket.get(), &worker.file);
  why_not = !greeting.problem.empty() ? greeting.problem
            : greeting.version != clang_module_version()
                ? workers->module + " holds Clang " + greeting.version + ", not " + clang_module_version()
                : std::string();
  if (why_not.empty()) return worker;
  drop(std::move(worker));
  return {};
}

/// Whether the other side is there and silent.
bool is_idle(const FileDescriptor& socket) {
  char byte = 0;
  return ::recv(socket.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

/// A kept one, which may still end at any time.
Worker take() {
  const Rights rights;
  while (true) {
    Worker worker;
    {
      const std::lock_guard lock(workers->mutex);
      if (workers->idle.empty()) return worker;
      worker = std::move(workers->idle.back());
      workers->idle.pop_back();
    }
    forget_closed(worker);
    if (worker && worker.rights == rights && is_idle(worker.socket)) return worker;
    drop(std::move(worker));
  }
}

void give_back(Worker worker) {
  {
    const std::lock_guard lock(workers->mutex);
    if (workers->idle.size() < kMostIdle) return workers->idle.push_back(std::move(worker));
  }
  drop(std::move(worker));
}

/// Those of the parent are no worker's of the child. Closed here, they end with the parent.
void forget_in_child() {
  for (Worker& worker : workers->idle) forget_closed(worker);
  workers->idle.clear();
  workers->ended.clear();
}

constexpr kiln_clang_result failure(int status, std::string_view error) {
  kiln_clang_result result{};
  result.status = status;
  result.error = {error.data(), error.size()};
  return result;
}
constexpr kiln_clang_result kNoMemory = failure(KILN_CLANG_NO_MEMORY, "");

const kiln_clang_result* failed(int status, std::string_view error) {
  std::string bytes(1024, '\0');
  bytes.resize(clang_messages::write_failure(bytes, status, error, {}));
  return clang_messages::read_answer(std::move(bytes));
}

const kiln_clang_result* ask(const std::string& question) {
  // A kept one may have ended before it had the question: one that is new is asked then.
  for (const bool kept : {true, false}) {
    std::string why_not;
    Worker worker = kept ? take() : start(why_not);
    if (!worker && kept) continue;
    if (!worker) return failed(KILN_CLANG_FAILED, why_not);
    // One that ends while it is sent may have said why.
    clang_messages::send_message(worker.socket.get(), question);
    std::string answer;
    if (!clang_messages::receive_message(worker.socket.get(), answer)) {
      drop(std::move(worker));
      continue;
    }
    const kiln_clang_result* const result = clang_messages::read_answer(std::move(answer));
    result->status < KILN_CLANG_CRASHED ? give_back(std::move(worker)) : drop(std::move(worker));
    return result;
  }
  return failed(KILN_CLANG_ENDED, "");
}

template <class... Arguments>
const kiln_clang_result* ask(std::string (*question)(Arguments...), Arguments... arguments) noexcept {
  try {
    return ask(question(arguments...));
  } catch (const std::exception&) {
    return &kNoMemory;  // or no worker that lives
  }
}

constexpr kiln_clang_api kApi{.interface_version = KILN_CLANG_INTERFACE,
                              .version = KILN_CLANG_VERSION,
                              .compile =
                                  [](const kiln_clang_request* request) {
                                    return ask<const kiln_clang_request&>(clang_messages::compile_question, *request);
                                  },
                              .disassemble =
                                  [](const kiln_clang_machine_code* code) {
                                    return ask<const kiln_clang_machine_code&>(clang_messages::disassemble_question, *code);
                                  },
                              .locate =
                                  [](const kiln_clang_text* code, std::uint64_t address) {
                                    return ask<const kiln_clang_text&, std::uint64_t>(clang_messages::locate_question, *code,
                                                                                      address);
                                  },
                              .release =
                                  [](const kiln_clang_result* result) {
                                    if (result != &kNoMemory) clang_messages::release_answer(result);
                                  },
                              .serve = nullptr};

}  // namespace

const kiln_clang_api* clang_in_workers(std::span<const std::string> modules, std::string& why_not) {
  std::error_code error;
  for (const std::string& module : modules) {
    const std::filesystem::path path = std::filesystem::absolute(module, error);
    if (!std::filesystem::exists(path, error)) continue;
    if (workers == nullptr) {
      workers = std::make_unique<Workers>().release();
      pthread_atfork(nullptr, nullptr, forget_in_child);
    }
    workers->program = path.parent_path() / kProgram;
    workers->module = path.string();
    Worker first = start(why_not);
    if (!first) return nullptr;
    give_back(std::move(first));
    return &kApi;
  }
  why_not = "libkiln-clang.so is not there";
  return nullptr;
}

}  // namespace kiln::backend::cpu
