#include "executor.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace kiln_amd {
namespace {

constexpr int kUnknown = 999;  // hipErrorUnknown

/// MSG_NOSIGNAL: an executor that died is an answer, not the end of the test.
bool send_all(int to, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t sent = send(to, bytes, count, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    count -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool read_all(int from, char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t got = read(from, bytes, count);
    if (got <= 0) return false;
    bytes += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

bool send_sized(int to, std::string_view bytes) {
  const std::uint64_t size = bytes.size();
  return send_all(to, reinterpret_cast<const char*>(&size), sizeof(size)) && send_all(to, bytes.data(), bytes.size());
}

}  // namespace

Executor::~Executor() {
  if (to_ < 0) return;
  close(to_);  // its end of input: it exits
  int status = 0;
  waitpid(child_, &status, 0);
}

bool Executor::start(const std::string& python, const std::string& script, int memory) {
  std::array<int, 2> ends = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
  std::string descriptor = std::to_string(memory);
  std::array<char*, 4> words = {const_cast<char*>(python.c_str()), const_cast<char*>(script.c_str()), descriptor.data(),
                                nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  const int failed = posix_spawn(&child_, python.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failed != 0) {
    std::fprintf(stderr, "kiln's AMD executor: cannot start %s: %s\n", python.c_str(), std::strerror(failed));
    close(ends[0]);
    return false;
  }
  to_ = from_ = ends[0];
  return true;
}

nlohmann::json Executor::ask(const nlohmann::json& request, std::string_view bytes) {
  std::uint64_t size = 0;
  if (to_ < 0 || !send_sized(to_, request.dump()) || !send_sized(to_, bytes) ||
      !read_all(from_, reinterpret_cast<char*>(&size), sizeof(size))) {
    return {{"status", kUnknown}};
  }
  std::string text(size, '\0');
  if (!read_all(from_, text.data(), size)) return {{"status", kUnknown}};
  return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace kiln_amd
