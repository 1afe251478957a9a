// What the commands say: standard output, written whole or IoError; errors and warnings on standard error.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace kiln::tool {

void print(std::string_view text);
/// As text, indented. Texts that are not UTF-8 (they may come from a damaged file) have those bytes replaced.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);
void print_json(const nlohmann::ordered_json& json);

/// "kiln: error: …" on standard error. Messages quote files: they are made printable.
void print_error(std::string_view message);
void print_warning(std::string_view message);

}  // namespace kiln::tool
