// A manifest's text to its kernels and back, and the union of several.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manifest/entry.hpp"

namespace kiln::manifest {

inline constexpr int kFormatVersion = 2;

/// `name` stands for the file in messages, `folder` is what include_dirs are relative to. CacheError for what is no manifest.
[[nodiscard]] std::vector<Entry> parse_document(std::string_view text, const std::string& name, const std::string& folder);

/// The canonical text: kernels by name, then by their JSON; members and calls sorted.
[[nodiscard]] std::string document_text(std::vector<Json> kernels);

/// A set of kernels. Calls of one definition are united.
class KernelSet {
 public:
  /// A kernel as in Entry::json. False where all of it was there.
  bool add(const Json& kernel);
  [[nodiscard]] std::vector<Json> kernels() const;
  /// A measure of its size in memory.
  [[nodiscard]] std::size_t calls() const noexcept { return calls_; }

 private:
  std::map<std::string, std::set<std::string>> recorded_;  // JSON text without "calls" → those
  std::set<std::string> others_;                           // kernels that list no calls, as they are
  std::size_t calls_ = 0;
};

}  // namespace kiln::manifest
