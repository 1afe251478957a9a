// The commands: each takes the members of a request, and gives the reply.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command/json.hpp"
#include "kiln/cache_handle.hpp"
#include "manifest/node.hpp"

namespace kiln::command {

struct Command {
  std::string_view name;
  /// The members of a request, beside "command".
  std::array<std::string_view, 4> members;
  Json (*run)(const manifest::Node& request, const Cache& cache);
};

[[nodiscard]] std::span<const Command> cache_commands() noexcept;
[[nodiscard]] std::span<const Command> device_commands() noexcept;
[[nodiscard]] std::span<const Command> profile_commands() noexcept;

/// Returns a list of words; an empty one if the member is missing.
[[nodiscard]] std::vector<std::string> words(const manifest::Node& request, std::string_view member);
/// Returns a manifest that a request has, as an object or as a text.
[[nodiscard]] Manifest manifest_of(const manifest::Node& request);

}  // namespace kiln::command
