#include "output.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "kiln/error.hpp"
#include "terminal.hpp"

namespace kiln::tool {

void print(std::string_view text) {
  if (!(std::cout << text).flush()) throw IoError("cannot write to standard output");
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
