// What a command line says of a kernel's text: the functions and macros beside it, and how it is compiled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel_text.hpp"

namespace CLI {
class App;
}

namespace kiln::tool {

class TextOptions {
 public:
  void add_to(CLI::App& app);
  /// UsageError for a folder that is none.
  void check() const;
  /// UsageError where any is given: of a function of the library, by its name.
  void check_none(std::string_view function) const;
  /// How many of them are read from standard input.
  [[nodiscard]] int from_standard_input() const noexcept { return (functions_ == "@-" ? 1 : 0) + (preamble_ == "@-" ? 1 : 0); }
  /// A definition of any kind, with them.
  template <class Definition>
  [[nodiscard]] Definition with(Definition definition) const {
    definition.compile.functions = text_or_file(functions_);
    definition.compile.preamble = text_or_file(preamble_);
    definition.compile.defines = defines_;
    definition.compile.include_dirs = include_dirs_;
    definition.compile.link = {link_.begin(), link_.end()};
    definition.compile.contract = contract_;
    definition.compile.fast_math = fast_math_;
    definition.compile.same_bits = same_bits_;
    definition.compile.debug.on = debug_;
    return definition;
  }

 private:
  std::string functions_;
  std::string preamble_;
  std::vector<std::string> defines_;
  std::vector<std::string> include_dirs_;
  std::vector<std::string> link_;
  bool contract_ = false;
  bool fast_math_ = false;
  bool same_bits_ = false;
  bool debug_ = false;
};

}  // namespace kiln::tool
