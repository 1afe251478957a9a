#include "output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>

#include "kiln/command.hpp"
#include "kiln/error.hpp"
#include "terminal.hpp"

namespace kiln::tool {

void hold_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // open() takes the lowest number that is free. Reading and writing fail with EBADF, as before.
    if (fcntl(descriptor, F_GETFD) == -1 && open("/", O_PATH) == -1) return;
  }
}

void print(std::string_view text) {
  errno = 0;
  if ((std::cout << text).flush()) return;
  throw IoError(fmt::format("cannot write to standard output: {}", std::strerror(errno != 0 ? errno : EIO)));
}

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void print_json(const nlohmann::ordered_json& json) {
  print(json_text(json));
}

nlohmann::ordered_json reply_of(const nlohmann::ordered_json& request, const Cache& cache) {
  return nlohmann::ordered_json::parse(
      run_command(request.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace), cache));
}

nlohmann::ordered_json print_reply(const nlohmann::ordered_json& request, const Cache& cache) {
  auto reply = reply_of(request, cache);
  print_json(reply);
  return reply;
}

void say(std::string_view text) {
  std::cerr << text << std::flush;
}

void print_error(std::string_view message) {
  say(fmt::format("kiln: error: {}\n", printable(message, true)));
}

void print_warning(std::string_view message) {
  say(fmt::format("kiln: warning: {}\n", printable(message, true)));
}

}  // namespace kiln::tool
