// JSON text to a value, strictly: what a JSON library lets pass (a member twice, a hundred thousand brackets) is an error.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace kiln::manifest {

using Json = nlohmann::json;

struct JsonLimits {
  std::size_t bytes = std::size_t{64} << 20;
  std::size_t depth = 16;
  std::size_t values = 2'000'000;
};

/// CacheError with `name` before it: "m.json:3:14: …" (line and column, in bytes, from 1) for what is no JSON,
/// "m.json: /kernels/0: …" for a member that is there twice.
[[nodiscard]] Json parse_json(std::string_view text, const std::string& name, const JsonLimits& limits = {});

/// A member's or element's place, as a JSON pointer: '~' and '/' in a name are escaped, other control characters shown as '?'.
[[nodiscard]] std::string join_path(const std::string& path, std::string_view member);
[[nodiscard]] std::string join_path(const std::string& path, std::size_t index);

/// "m.json: /kernels/0/name: message"; the root is "/".
[[nodiscard]] std::string located(const std::string& name, const std::string& path, const std::string& message);

}  // namespace kiln::manifest
