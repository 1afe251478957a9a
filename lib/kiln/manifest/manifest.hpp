// What a Manifest handle points to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "manifest/entry.hpp"

namespace kiln::detail {

class ManifestImpl {
 public:
  explicit ManifestImpl(std::vector<manifest::Entry> kernels) : entries(std::move(kernels)) {}
  const std::vector<manifest::Entry> entries;
};

}  // namespace kiln::detail

namespace kiln::manifest {

/// Reads a file. Throws IoError, and CacheError for what is no manifest.
[[nodiscard]] std::shared_ptr<const detail::ManifestImpl> read_document(const std::string& path);

}  // namespace kiln::manifest
