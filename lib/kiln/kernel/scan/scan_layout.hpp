// What of a call of Ufunc::accumulate decides its kernel.
#pragma once

#include <cstdint>

namespace kiln::kinds {

struct ScanLayout {
  bool looks_back = false;  ///< a few long lines are cut into chunks, which wait for those before them
  friend bool operator==(const ScanLayout&, const ScanLayout&) = default;
  [[nodiscard]] std::uint64_t hash() const noexcept { return looks_back ? 1 : 0; }
};

}  // namespace kiln::kinds
