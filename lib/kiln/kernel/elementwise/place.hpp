// What a body asks of the place of its element.
#pragma once

namespace kiln::kinds {

struct AskedPlace {
  bool number = false;  ///< index(), the number of the element in C order
  bool size = false;    ///< size(), the number of elements
  bool i = false;       ///< CuPy's names for these
  bool n = false;
  bool indexer = false;  ///< and _ind, which has an index for each axis

  [[nodiscard]] bool any() const noexcept { return number || size || i || n || indexer; }
  /// Returns true if elements are to be counted in C order.
  [[nodiscard]] bool in_order() const noexcept { return number || i || indexer; }
  friend bool operator==(const AskedPlace&, const AskedPlace&) = default;
};

}  // namespace kiln::kinds
