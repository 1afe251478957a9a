#include "cache_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "kiln/error.hpp"
#include "options.hpp"
#include "target_option.hpp"
#include "units.hpp"
#include "usage_error.hpp"

namespace kiln::tool {
namespace fs = std::filesystem;

void CacheChoice::add_to(CLI::App& app) {
  add_text(app, "--dir", directory_, "Use this directory, or for reading this bundle, instead of the process's cache", "DIR");
  add_flag(app, "--json", json_, "Print JSON");
}

bool CacheChoice::names_bundle() const {
  std::error_code ignored;
  return !directory_.empty() && fs::is_regular_file(directory_, ignored);
}

Cache CacheChoice::cache() const {
  if (directory_.empty()) return {};
  std::error_code fault;
  if (!fs::exists(directory_, fault)) {
    throw IoError(fmt::format("cannot open \"{}\": {}", directory_, fault ? fault.message() : "No such file or directory"));
  }
  const std::string path = fs::absolute(directory_, fault).string();
  if (names_bundle()) return Cache(CacheOptions{.read_only = {path}});
  return Cache(CacheOptions{.directory = path});
}

Cache CacheChoice::writable(bool made) const {
  if (names_bundle())
    throw UsageError(fmt::format("--dir \"{}\" is a file: what is in a bundle cannot be changed", directory_));
  if (!made || directory_.empty()) return cache();
  std::error_code ignored;
  return Cache(CacheOptions{.directory = fs::absolute(directory_, ignored).string()});
}

void EntryFilter::add_to(CLI::App& app) {
  add_list(app, "--kernel", kernels_, "Only kernels of this name; '*' stands for any text; may be repeated", "NAME");
  add_target_option(app, targets_, "Only for this target: sm_90, 'gfx90a*', x86-64-v3; commas separate several");
}

std::vector<cache::Entry> EntryFilter::of(std::vector<cache::Entry> entries) const {
  const auto matches = [](const std::vector<std::string>& patterns, const std::string& text) {
    return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
             return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
           });
  };
  std::erase_if(
      entries, [&](const cache::Entry& entry) { return !matches(kernels_, entry.kernel) || !matches(targets_, entry.target); });
  return entries;
}

std::string EntryFilter::text() const {
  std::vector<std::string> parts;
  if (!kernels_.empty()) parts.push_back(fmt::format("kernel {}", fmt::join(kernels_, " or ")));
  if (!targets_.empty()) parts.push_back(fmt::format("target {}", fmt::join(targets_, " or ")));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::size_t id_digits(std::vector<std::string> ids) {
  std::sort(ids.begin(), ids.end());
  std::size_t digits = 8;
  for (std::size_t i = 1; i < ids.size(); ++i) {
    const auto [one, other] = std::mismatch(ids[i - 1].begin(), ids[i - 1].end(), ids[i].begin(), ids[i].end());
    digits = std::max(digits, static_cast<std::size_t>(one - ids[i - 1].begin()) + 1);
  }
  return digits;
}

void Total::add(const cache::Entry& entry) {
  ++entries;
  bytes += entry.bytes;
  compile_ms += entry.compile_ms;
}

std::string Total::text() const {
  return fmt::format("{} ({})", entries_text(entries), bytes_text(bytes));
}

}  // namespace kiln::tool
