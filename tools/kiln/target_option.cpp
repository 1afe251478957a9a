#include "target_option.hpp"

#include <algorithm>
#include <string_view>

#include "kiln/error.hpp"
#include "options.hpp"
#include "usage_error.hpp"

namespace kiln::tool {
namespace {

template <class Call>
auto with_known_target(const std::string& target, Call call) {
  try {
    return call();
  } catch (const DeviceError& error) {
    if (std::string_view(error.what()).starts_with("unknown target \"" + target + "\"")) throw UsageError(error.what());
    throw;
  }
}

}  // namespace

void add_target_option(CLI::App& app, std::vector<std::string>& targets, const std::string& help) {
  add_comma_list(app, "-t,--target", targets, help, "TARGET,...");
}

std::vector<std::string> unique_targets(const std::vector<std::string>& targets, const std::vector<std::string>& none) {
  std::vector<std::string> unique;
  for (const std::string& target : targets) {
    if (std::find(unique.begin(), unique.end(), target) == unique.end()) unique.push_back(target);
  }
  return unique.empty() ? none : unique;
}

std::size_t count_kernels(const Manifest& manifest, const std::string& target, bool other_sizes) {
  return with_known_target(target, [&] { return manifest.count(target, other_sizes); });
}

std::vector<ManifestKernel> kernels_of(const Manifest& manifest, const std::string& target) {
  return with_known_target(target, [&] { return manifest.kernels(target, false); });
}

}  // namespace kiln::tool
