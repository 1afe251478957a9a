#include "base/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <thread>

#include "base/file.hpp"
#include "base/file_descriptor.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace kiln::base {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  FileDescriptor read;
  FileDescriptor write;
};

bool open_pipe(Pipe& pipe) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  pipe.read = FileDescriptor(ends[0]);
  pipe.write = FileDescriptor(ends[1]);
  return true;
}

/// errno's number where it could not be started; 0 otherwise.
int start(const std::string& program, const std::vector<std::string>& arguments, const Pipe& output, const Pipe& errors,
          pid_t* child) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.write.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, errors.write.get(), 2);
  // What a host program blocks or ignores is its own business.
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int fault = posix_spawn(child, program.c_str(), &actions, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return fault;
}

/// False at the end of what can be read.
bool read_some(const FileDescriptor& from, std::string& to) {
  std::array<char, 65536> block;
  const ssize_t got = ::read(from.get(), block.data(), block.size());
  if (got > 0) to.append(block.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

/// Until both pipes are closed. False where a limit was reached, with the reason in result.end.
bool collect(Pipe& output, Pipe& errors, const ProcessOptions& options, Clock::time_point deadline, ProcessResult& result) {
  while (output.read || errors.read) {
    std::array<pollfd, 2> waiting{pollfd{output.read.get(), POLLIN, 0}, pollfd{errors.read.get(), POLLIN, 0}};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    const int ready = left <= 0 ? 0 : ::poll(waiting.data(), waiting.size(), static_cast<int>(std::min<long>(left, 1 << 30)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      result.end = ProcessResult::End::timed_out;
      return false;
    }
    if (waiting[0].revents != 0 && !read_some(output.read, result.output)) output.read = FileDescriptor();
    if (waiting[1].revents != 0 && !read_some(errors.read, result.errors)) errors.read = FileDescriptor();
    if (result.output.size() > options.output_limit || result.errors.size() > options.output_limit) {
      result.end = ProcessResult::End::too_much_output;
      return false;
    }
  }
  return true;
}

/// Until it has ended. False at the deadline: a program can close what it writes to and go on.
bool wait_for(pid_t child, Clock::time_point deadline, int* status) {
  constexpr std::chrono::milliseconds kLongestPause{20};
  std::chrono::microseconds pause{50};
  for (;;) {
    const pid_t ended = ::waitpid(child, status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) return true;
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::microseconds>(pause * 2, kLongestPause);
  }
}

}  // namespace

ProcessResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const ProcessOptions& options) {
  ProcessResult result;
  Pipe output;
  Pipe errors;
  pid_t child = 0;
  if (!open_pipe(output) || !open_pipe(errors)) {
    result.status = errno;
    return result;
  }
  result.status = start(program, arguments, output, errors, &child);
  if (result.status != 0) return result;
  output.write = FileDescriptor();
  errors.write = FileDescriptor();
  const Clock::time_point deadline = Clock::now() + options.time_limit;
  int status = 0;
  if (!collect(output, errors, options, deadline, result) || !wait_for(child, deadline, &status)) {
    if (result.end == ProcessResult::End::not_started) result.end = ProcessResult::End::timed_out;
    ::kill(-child, SIGKILL);
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return result;
  }
  result.end = WIFEXITED(status) ? ProcessResult::End::exited : ProcessResult::End::signalled;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
  return result;
}

std::string describe(const ProcessResult& result, const ProcessOptions& options) {
  switch (result.end) {
    case ProcessResult::End::exited:
      return "exited with status " + std::to_string(result.status);
    case ProcessResult::End::signalled:
      return "was ended by signal " + std::to_string(result.status);
    case ProcessResult::End::timed_out:
      return "did not end within " + std::to_string(options.time_limit.count() / 1000) + " s";
    case ProcessResult::End::too_much_output:
      return "printed more than " + std::to_string(options.output_limit) + " bytes";
    case ProcessResult::End::not_started:
      break;
  }
  return "could not be started: " + errno_text(result.status);
}

}  // namespace kiln::base
