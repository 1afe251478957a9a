// The values of a source's __constant__ variables, which every kernel of it has a copy of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/backend.hpp"

namespace kiln::raw {

/// Thread-safe.
class ModuleConstants {
 public:
  /// `names`: of the variables, with their namespaces.
  explicit ModuleConstants(std::vector<std::string> names) : names_(std::move(names)) {}

  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// What is longer than these bytes keeps its rest.
  void set(const std::string& name, std::vector<std::byte> bytes);
  /// Gives the module's variables these values, and zeros where there are none, unless it has them. ShapeError for more bytes
  /// than a variable has.
  void write(backend::Backend& backend, const backend::Module& module, backend::Queue* queue) const;

 private:
  using Bytes = std::shared_ptr<const std::vector<std::byte>>;
  struct Value {
    Bytes bytes;           ///< with what earlier values have behind the last one
    std::size_t last = 0;  ///< bytes of the last one
  };

  std::vector<std::string> names_;
  mutable std::mutex mutex_;
  std::map<std::string, Value> values_;
  std::uint64_t version_ = 0;  // of the process: no two sets of values have the same; 0: there are none
};

}  // namespace kiln::raw
