// Work done in a forked child, and what became of it: nothing that the child does to itself reaches the test. No threads of the
// parent may run meanwhile.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace kiln::test {

struct Ended {
  int status = -1;   ///< exit status; 128 + n where signal n ended it
  std::string said;  ///< a line for each say()
};

/// Writes lines to the parent; at once, so that the last one is there when the child is killed.
class Say {
 public:
  explicit Say(int fd) : fd_(fd) {}
  void operator()(std::string_view line) const {
    const std::string text = std::string(line) + "\n";
    if (::write(fd_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
  }

 private:
  int fd_;
};

/// A forked child that works while the test goes on.
class Child {
 public:
  /// Forks and runs `work`. An exception that leaves it is said, and is status 70. No destructor of the process runs.
  explicit Child(const std::function<void(const Say&)>& work) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("fork");
    if (pid_ == 0) {
      const Say say(ends[1]);
      int status = 0;
      try {
        work(say);
      } catch (const std::exception& error) {
        say(std::string("exception: ") + error.what());
        status = 70;
      }
      _exit(status);
    }
    ::close(ends[1]);
    from_ = ends[0];
  }
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)), from_(std::exchange(other.from_, -1)) {}
  Child& operator=(Child&&) = delete;
  ~Child() {
    if (pid_ <= 0) return;
    kill();
    (void)wait();
  }

  void kill() const { ::kill(pid_, SIGKILL); }

  /// Once.
  Ended wait() {
    Ended ended;
    char part[4096];
    for (ssize_t size; (size = ::read(from_, part, sizeof part)) > 0;) ended.said.append(part, static_cast<std::size_t>(size));
    ::close(std::exchange(from_, -1));
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    ended.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return ended;
  }

 private:
  pid_t pid_ = -1;
  int from_ = -1;
};

inline Ended in_child(const std::function<void(const Say&)>& work) {
  return Child(work).wait();
}

}  // namespace kiln::test
