// Bundles of the public handle.
#include <fmt/format.h>

#include "base/log.hpp"
#include "cache/bundle_exchange.hpp"
#include "kiln/cache.hpp"
#include "kiln/error.hpp"
#include "program/cache_impl.hpp"

namespace kiln {

cache::BundleReport Cache::export_bundle(const std::string& path, const std::vector<std::string>& ids) const {
  return cache::export_bundle(program::impl_of(*this).tiers(), path, ids,
                              [](const std::string& line) { base::log_line(line); });
}

cache::BundleReport Cache::import_bundle(const std::string& path) const {
  cache::DiskStore* const store = program::impl_of(*this).store();
  if (store == nullptr) throw CacheError(fmt::format("cannot import {}: this cache has no directory", path));
  return cache::import_bundle(*store, path);
}

namespace cache {

std::string export_bytes(const Cache& from, const std::vector<std::string>& ids) {
  return export_bytes(program::impl_of(from).tiers(), ids, [](const std::string& line) { base::log_line(line); });
}

BundleReport import_bytes(const Cache& to, std::string_view bytes) {
  detail::CacheImpl& impl = program::impl_of(to);
  if (impl.has_directory()) return import_bytes(*impl.store(), bytes);
  BundleReport report{.bytes = bytes.size()};
  for (auto& [digest, record] : read_bytes(bytes)) {
    impl.builder().adopt(digest, std::move(record));
    ++report.entries;
  }
  return report;
}

}  // namespace cache
}  // namespace kiln
