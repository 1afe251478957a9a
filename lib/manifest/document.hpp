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

inline constexpr int kFormatVersion = 1;

/// `name` stands for the file in messages, `folder` is what include_dirs are relative to. CacheError for what is no manifest.
[[nodiscard]] std::vector<Entry> parse_document(std::string_view text, const std::string& name, const std::string& folder);

/// The canonical text: kernels by name, then by their JSON; members and variants sorted.
[[nodiscard]] std::string document_text(std::vector<Json> kernels);

/// A set of kernels. Variants of one definition are united, so are the processors that a variant is for.
class KernelSet {
 public:
  /// A kernel as in Entry::json. False where all of it was there.
  bool add(const Json& kernel);
  [[nodiscard]] std::vector<Json> kernels() const;
  /// A measure of its size in memory.
  [[nodiscard]] std::size_t variants() const noexcept { return variants_; }

 private:
  enum For : unsigned { cpu = 1, gpu = 2 };
  /// JSON text without "for" → whom it is for.
  using Variants = std::map<std::string, unsigned>;

  std::map<std::string, Variants> recorded_;  // JSON text without "variants" → those
  std::set<std::string> others_;              // kernels that list no variants, as they are
  std::size_t variants_ = 0;
};

}  // namespace kiln::manifest
