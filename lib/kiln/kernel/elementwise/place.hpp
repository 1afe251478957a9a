// What a body asks of the place of its element.
#pragma once

namespace kiln::kinds {

struct AskedPlace {
  bool number = false;  ///< index(), the number of the element in C order
  bool size = false;    ///< size(), the number of elements

  [[nodiscard]] bool any() const noexcept { return number || size; }
  friend bool operator==(const AskedPlace&, const AskedPlace&) = default;
};

}  // namespace kiln::kinds
