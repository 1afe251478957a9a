// From an instruction of a kernel back to the user's text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kiln::backend::cpu {

/// A place in a text of the user's; line 0: none.
struct SourcePlace {
  std::string file = {};  ///< as in #line
  int line = 0;
  int column = 0;
};

/// Where the instruction at that address of a kernel that was compiled for debugging comes from. No place where its debug
/// information tells none, or libkiln-clang.so cannot be opened.
[[nodiscard]] SourcePlace locate(std::string_view code, std::uint64_t address);

}  // namespace kiln::backend::cpu
