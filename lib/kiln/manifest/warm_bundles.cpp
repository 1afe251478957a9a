#include "manifest/warm_bundles.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "base/file.hpp"
#include "cache/bundle.hpp"
#include "kiln/error.hpp"

namespace kiln::manifest {

std::string bundle_of(const WarmEntries& entries) {
  cache::BundleWriter writer = cache::BundleWriter::in_memory();
  const auto check = [](const std::optional<base::FileError>& error) {
    if (error) throw IoError(error->text);
  };
  for (const auto& [digest, bytes] : entries) check(writer.add(digest, bytes));
  check(writer.finish());
  return writer.take();
}

WarmEntries entries_in(const std::vector<std::string>& bundles, const std::set<base::Hash128>& wanted) {
  WarmEntries entries;
  for (const std::string& bytes : bundles) {
    if (bytes.empty()) continue;
    base::FileError error;
    const auto bundle = cache::Bundle::of_bytes(bytes, "of another rank", &error);
    if (!bundle) throw IoError(error.text);
    for (std::uint64_t i = 0; i < bundle->count(); ++i) {
      const auto item = bundle->item(i, &error);
      if (!item) throw IoError(error.text);
      if (!wanted.contains(item->digest)) continue;
      auto entry = bundle->read(*item, &error);
      if (!entry) throw IoError(error.text);
      entries.emplace(item->digest, *std::move(entry));
    }
  }
  for (const base::Hash128& digest : wanted) {
    if (!entries.contains(digest)) throw IoError(fmt::format("no rank sent kernel {}", base::to_hex(digest)));
  }
  return entries;
}

}  // namespace kiln::manifest
