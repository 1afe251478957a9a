#include "target_option.hpp"

#include <algorithm>

#include "options.hpp"
#include "usage_error.hpp"

namespace kiln::tool {

void add_target_option(CLI::App& app, std::vector<std::string>& targets, const std::string& help) {
  add_comma_list(app, "-t,--target", targets, help, "TARGET,...");
}

std::vector<std::string> unique_targets(const std::vector<std::string>& targets, const std::vector<std::string>& none) {
  std::vector<std::string> unique;
  for (const std::string& target : targets) {
    if (target.empty()) throw UsageError("an empty --target");
    if (std::find(unique.begin(), unique.end(), target) == unique.end()) unique.push_back(target);
  }
  return unique.empty() ? none : unique;
}

}  // namespace kiln::tool
