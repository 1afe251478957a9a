// What the commands say: standard output, written whole or IoError; errors, warnings and progress on standard error, as far as
// they can be written.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "kiln/cache_handle.hpp"

namespace kiln::tool {

/// For the first lines of main(): each of standard input, output and error that is closed becomes a descriptor whose use fails.
/// A file that is opened later would take its number, and what is printed would go there.
void hold_standard_descriptors();

void print(std::string_view text);
/// As text, indented. Texts that are not UTF-8 (they may come from a damaged file) have those bytes replaced.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);
void print_json(const nlohmann::ordered_json& json);
/// Runs a command of kiln/command.hpp and returns its reply.
[[nodiscard]] nlohmann::ordered_json reply_of(const nlohmann::ordered_json& request, const Cache& cache = {});
/// Does the same, and prints the reply.
nlohmann::ordered_json print_reply(const nlohmann::ordered_json& request, const Cache& cache = {});

/// On standard error. What cannot be written there is lost: the status tells how a command ended.
void say(std::string_view text);
/// "kiln: error: …" on standard error. Messages quote files: they are made printable.
void print_error(std::string_view message);
void print_warning(std::string_view message);

}  // namespace kiln::tool
