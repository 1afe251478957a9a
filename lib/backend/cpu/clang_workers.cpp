#include "backend/cpu/clang_workers.hpp"

#include <pthread.h>
#include <spawn.h>
#include <sys/socket.h>
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

#include "backend/cpu/clang/messages.hpp"
#include "backend/cpu/clang_module.hpp"
#include "backend/cpu/installation.hpp"
#include "base/file.hpp"
#include "base/file_descriptor.hpp"
#include "base/fork_safe_mutex.hpp"
#include "kiln/error.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace kiln::backend::cpu {
namespace {

using base::FileDescriptor;

/// Of a burst of compiles of many threads some are kept.
constexpr std::size_t kMostIdle = 4;
constexpr const char* kProgram = "kiln-clang";

/// Never destroyed: threads compile until the process is gone.
struct Workers {
  std::string program;
  std::string module;
  base::ForkSafeMutex mutex;
  std::vector<FileDescriptor> idle;  ///< a socket to each
};
Workers* workers = nullptr;

/// errno's number where it could not be started; 0 otherwise.
int spawn(const std::string& program, const std::string& module, int socket) {
  constexpr int kSocket = 3;
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
FileDescriptor start(const std::string& program, const std::string& module, std::string& why_not) {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    why_not = "no socket: " + base::errno_text(errno);
    return {};
  }
  FileDescriptor own(ends[0]);
  {
    const FileDescriptor other(ends[1]);
    if (const int fault = spawn(program, module, other.get()); fault != 0) {
      why_not = "failed to start " + program + ": " + base::errno_text(fault);
      return {};
    }
  }
  std::string message;
  if (!clang_messages::receive_message(own.get(), message)) {
    throw DeviceError("failed to compile: " + program + " ended when it was started, as it does where memory runs out");
  }
  const clang_messages::Greeting greeting = clang_messages::read_greeting(message);
  why_not = !greeting.problem.empty()             ? greeting.problem
            : greeting.version != clang_version() ? module + " holds Clang " + greeting.version
                                                  : std::string();
  return why_not.empty() ? std::move(own) : FileDescriptor();
}

/// Whether the other side is there and silent.
bool is_idle(const FileDescriptor& worker) {
  char byte = 0;
  return ::recv(worker.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

FileDescriptor take(std::string& why_not) {
  while (true) {
    FileDescriptor worker;
    {
      const std::lock_guard lock(workers->mutex);
      if (workers->idle.empty()) break;
      worker = std::move(workers->idle.back());
      workers->idle.pop_back();
    }
    if (is_idle(worker)) return worker;
  }
  return start(workers->program, workers->module, why_not);
}

void give_back(FileDescriptor worker) {
  const std::lock_guard lock(workers->mutex);
  if (workers->idle.size() < kMostIdle) workers->idle.push_back(std::move(worker));
}

/// Those of the parent are no worker's of the child. Closed here, they end with the parent.
void forget_in_child() {
  workers->idle.clear();
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
  std::string why_not;
  FileDescriptor worker = take(why_not);
  if (!worker) return failed(KILN_CLANG_FAILED, why_not);
  std::string answer;
  if (!clang_messages::send_message(worker.get(), question) || !clang_messages::receive_message(worker.get(), answer)) {
    return failed(KILN_CLANG_ENDED, "");
  }
  const kiln_clang_result* const result = clang_messages::read_answer(std::move(answer));
  if (result->status < KILN_CLANG_CRASHED) give_back(std::move(worker));
  return result;
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
    const std::string program = path.parent_path() / kProgram;
    FileDescriptor first = start(program, path.string(), why_not);
    if (!first) return nullptr;
    if (workers == nullptr) {
      workers = std::make_unique<Workers>().release();
      pthread_atfork(nullptr, nullptr, forget_in_child);
    }
    workers->program = program;
    workers->module = path.string();
    give_back(std::move(first));
    return &kApi;
  }
  why_not = "libkiln-clang.so is not there";
  return nullptr;
}

}  // namespace kiln::backend::cpu
