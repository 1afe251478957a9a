#include "base/usable_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

namespace kiln::base {
namespace {

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

/// Unlimited where there is no such file or it says "max".
std::size_t limit_in(const std::string& path) {
  std::ifstream file(path);
  std::size_t bytes = 0;
  return file >> bytes ? bytes : kUnlimited;
}

/// The least limit of a group and those that it is in.
std::size_t limit_of_group(const std::string& root, std::string group, const char* file) {
  std::size_t least = kUnlimited;
  for (;; group.resize(group.rfind('/'))) {
    while (group.ends_with('/')) group.pop_back();
    least = std::min(least, limit_in(root + group + "/" + file));
    if (group.find('/') == std::string::npos) return least;
  }
}

bool lists_memory(const std::string& controllers) {
  return ("," + controllers + ",").find(",memory,") != std::string::npos;
}

}  // namespace

std::size_t usable_memory(const std::string& groups, const std::string& mounted) {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  std::size_t least = pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page) : kUnlimited;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0) least = std::min<std::size_t>(least, limit.rlim_cur);  // RLIM_INFINITY is the largest
  // Lines are "0::/group" (version 2) and "4:memory:/group" (version 1).
  std::ifstream lines(groups);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      least = std::min(least, limit_of_group(mounted, group, "memory.max"));
    } else if (lists_memory(controllers)) {
      least = std::min(least, limit_of_group(mounted + "/memory", group, "memory.limit_in_bytes"));
    }
  }
  return least == kUnlimited ? 0 : least;
}

}  // namespace kiln::base
