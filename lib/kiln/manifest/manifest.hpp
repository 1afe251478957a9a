// What a Manifest handle points to.
#pragma once

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
