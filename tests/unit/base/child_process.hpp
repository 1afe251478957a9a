// Runs one test case of this test program in a process of its own, started anew with other environment variables. Such a case
// is decorated with doctest::skip(), so that it runs in no other way. What it prints is shown where it fails.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace kiln::test {

/// In such a case: a variable of the environment that it was started with.
inline std::string from_parent(const char* variable) {
  const char* const value = std::getenv(variable);
  if (value == nullptr) throw std::runtime_error(std::string(variable) + " is not set: another case starts this one");
  return value;
}

class ChildProcess {
 public:
  /// Starts it. The name must hold no comma, asterisk or blank at its ends.
  ChildProcess(const std::string& test_case, const std::map<std::string, std::string>& environment) {
    const std::string filter = "--test-case=" + test_case;
    // A child does not know its own folder, and so not the compiler's: it is started as /proc/self/exe.
    const auto bin = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    const std::string compiler = bin.parent_path() / "lib/libkiln-clang.so";
    output_ = std::tmpfile();
    pid_ = fork();
    if (pid_ != 0) return;
    if (output_ != nullptr) dup2(fileno(output_), STDOUT_FILENO);
    const char* const named = std::getenv("KILN_CLANG");
    const bool own = named == nullptr || *named == '\0';
    if (own && std::filesystem::exists(compiler)) setenv("KILN_CLANG", compiler.c_str(), 1);
    unsetenv("KILN_TEST_TURNS");  // the case may be of another turn than the one that starts it
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    execl("/proc/self/exe", "kiln-test", filter.c_str(), "--no-skip", static_cast<char*>(nullptr));
    _exit(127);
  }
  ChildProcess(ChildProcess&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)), output_(std::exchange(other.output_, nullptr)) {}
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess() {
    if (pid_ > 0) {
      kill();
      wait();
    }
    if (output_ != nullptr) std::fclose(output_);
  }

  void kill() const { ::kill(pid_, SIGKILL); }

  /// The exit status, 0 where every assertion held; 128 + n where signal n ended it; 126 where there is no such test case.
  int wait() {
    int status = 0;
    if (pid_ <= 0 || waitpid(std::exchange(pid_, -1), &status, 0) < 0) return -1;
    const std::string text = output();
    // doctest is content with a name that no case has.
    if (text.find("test cases: 0 |") != std::string::npos) return 126;
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0) std::fwrite(text.data(), 1, text.size(), stderr);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  std::string output() {
    std::string text;
    if (output_ == nullptr || std::fseek(output_, 0, SEEK_SET) != 0) return text;
    char part[4096];
    std::size_t size = 0;
    do {
      size = std::fread(part, 1, sizeof part, output_);
      text.append(part, size);
    } while (size == sizeof part);
    return text;
  }

  pid_t pid_ = -1;
  std::FILE* output_ = nullptr;
};

}  // namespace kiln::test
