#include "output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>

#include "kiln/error.hpp"
#include "terminal.hpp"

namespace kiln::tool {

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

void print_error(std::string_view message) {
  fmt::print(stderr, "kiln: error: {}\n", printable(message, true));
}

void print_warning(std::string_view message) {
  fmt::print(stderr, "kiln: warning: {}\n", printable(message, true));
}

}  // namespace kiln::tool
