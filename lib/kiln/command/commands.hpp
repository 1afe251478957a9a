// The commands: each takes the members of a request, and gives the reply.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command/json.hpp"
#include "kiln/cache_handle.hpp"
#include "manifest/manifest.hpp"
#include "manifest/node.hpp"

namespace kiln::command {

struct Command {
  std::string_view name;
  /// The members of a request, beside "command".
  std::array<std::string_view, 5> members;
  Json (*run)(const manifest::Node& request, const Cache& cache);
};

[[nodiscard]] std::span<const Command> cache_commands() noexcept;
[[nodiscard]] std::span<const Command> device_commands() noexcept;
[[nodiscard]] std::span<const Command> kernel_commands() noexcept;
[[nodiscard]] std::span<const Command> profile_commands() noexcept;

/// Returns why a vendor has no device here, by vendor.
[[nodiscard]] Json unavailable();

/// Returns a list of words; an empty one if the member is missing.
[[nodiscard]] std::vector<std::string> words(const manifest::Node& request, std::string_view member);
/// Returns a manifest that a request has, as an object, as a text, or as {"file": path}.
[[nodiscard]] std::shared_ptr<const detail::ManifestImpl> kernels_of(const manifest::Node& request);
[[nodiscard]] inline Manifest manifest_of(const manifest::Node& request) {
  return Manifest(kernels_of(request));
}

}  // namespace kiln::command
