// --target: which processors, in the same way for every command.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kiln/manifest.hpp"

namespace CLI {
class App;
}

namespace kiln::tool {

/// Adds -t and --target: a list with commas, which may be repeated, and takes no word beyond its own.
void add_target_option(CLI::App& app, std::vector<std::string>& targets, const std::string& help);

/// Some of what it takes.
inline constexpr const char* kUsualTargets[] = {"native", "sm_75",  "sm_80",   "sm_86",  "sm_89",     "sm_90",     "sm_100",
                                                "gfx90a", "gfx942", "gfx1100", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};

/// Each once, in the order given; `none` where there are none. UsageError for an empty one.
[[nodiscard]] std::vector<std::string> unique_targets(const std::vector<std::string>& targets,
                                                      const std::vector<std::string>& none = {"native"});

/// What the manifest has for that target: Manifest::count(), and the kernels() of its calls alone; a target that nobody knows
/// is a UsageError.
[[nodiscard]] std::size_t count_kernels(const Manifest& manifest, const std::string& target, bool other_sizes = true);
[[nodiscard]] std::vector<ManifestKernel> kernels_of(const Manifest& manifest, const std::string& target);

}  // namespace kiln::tool
