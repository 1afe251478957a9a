// A kernel that kiln's own loader has put into an arena: far cheaper than a shared object of the system's loader, where a
// process has thousands. For relocatable objects of code and constants; shared_object.hpp is for all else.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/cpu/code_arena.hpp"
#include "device/cpu/code_names.hpp"

namespace kiln::backend::cpu {

/// Owns one placed object. Its functions may be called until it is destroyed. Callers hold a ForkGate.
class PlacedCode {
 public:
  /// The bytes may be damaged in any way: DeviceError with `name` and the reason where they cannot be placed, or where the
  /// object calls a function that the C library, its mathematics and its vector mathematics do not have.
  PlacedCode(std::string_view object, const std::string& name);
  PlacedCode(const PlacedCode&) = delete;
  PlacedCode& operator=(const PlacedCode&) = delete;

  /// The function of that name which the object exports; else null.
  [[nodiscard]] void* symbol(std::string_view name) const noexcept;
  [[nodiscard]] const CodePages& pages() const noexcept { return pages_.value; }

 private:
  /// Gives the pages back, also where the constructor fails behind their allocation.
  struct OwnPages {
    OwnPages() = default;
    OwnPages(const OwnPages&) = delete;
    OwnPages& operator=(const OwnPages&) = delete;
    ~OwnPages();
    CodePages value;
  };

  OwnPages pages_;
  std::vector<std::pair<std::string, void*>> symbols_;
  std::unique_ptr<const CodeNames> names_;  // last: debuggers forget the code before its pages go
};

}  // namespace kiln::backend::cpu
