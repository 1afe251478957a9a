// What is suspicious in a definition's texts, although they compile: found by kiln and by compilers.
#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "kiln/diagnostic.hpp"

namespace kiln::program {

/// The warnings of one definition, each once. Thread-safe.
class Warnings {
 public:
  /// Keeps those that are new, and gives each of them a line of the log.
  void add(std::span<const Diagnostic> found);
  [[nodiscard]] std::vector<Diagnostic> all() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Diagnostic> all_;
};

}  // namespace kiln::program
