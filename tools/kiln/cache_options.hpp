// What the commands that look into a cache have in common: which cache, which of its entries, and how an entry is named.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "kiln/cache.hpp"

namespace CLI {
class App;
}

namespace kiln::tool {

/// --dir and --json.
class CacheChoice {
 public:
  CacheChoice() = default;
  /// As if --dir were given; empty: as if it were not.
  explicit CacheChoice(std::string directory) : directory_(std::move(directory)) {}
  void add_to(CLI::App& app);
  /// The process's cache; with --dir that directory or bundle alone. IoError where --dir names nothing.
  [[nodiscard]] Cache cache() const;
  /// The same for commands that change it: a bundle is a UsageError. `made`: the directory may be missing.
  [[nodiscard]] Cache writable(bool made = false) const;
  /// What --dir names; empty: the process's.
  [[nodiscard]] const std::string& directory() const noexcept { return directory_; }
  [[nodiscard]] bool names_bundle() const;
  [[nodiscard]] bool json() const noexcept { return json_; }

 private:
  std::string directory_;
  bool json_ = false;
};

/// --kernel and --target.
class EntryFilter {
 public:
  void add_to(CLI::App& app);
  [[nodiscard]] bool any() const noexcept { return !kernels_.empty() || !targets_.empty(); }
  [[nodiscard]] std::vector<cache::Entry> of(std::vector<cache::Entry> entries) const;
  /// "kernel saxpy, target sm_90": what was looked for.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::string> kernels_;
  std::vector<std::string> targets_;
};

/// The fewest digits, at least eight, that tell these ids apart.
[[nodiscard]] std::size_t id_digits(std::vector<std::string> ids);

struct Total {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  double compile_ms = 0;
  void add(const cache::Entry& entry);
  /// "12 entries (3.4 MiB)".
  [[nodiscard]] std::string text() const;
};

}  // namespace kiln::tool
