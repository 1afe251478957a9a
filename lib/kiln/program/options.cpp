#include "program/options.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/environment.hpp"
#include "kiln/error.hpp"
#include "signature/reserved.hpp"
#include "source/directives.hpp"

namespace kiln::program {

Debug debug_of(const CompileOptions& options) {
  Debug debug = options.debug;
  static constexpr std::array<std::string_view, 4> kWords{"0", "1", "nan", "race"};
  const base::Word wanted = base::env_word("KILN_DEBUG", kWords, "kernels check themselves as with 1");
  debug.on = debug.any() || wanted.unknown || !(wanted.value.empty() || wanted.value == "0");
  debug.nan = debug.nan || wanted.value == "nan";
  debug.race = debug.race || wanted.value == "race";
  return debug;
}

void check_options(const std::string& kernel, const CompileOptions& options) {
  for (const std::string& define : options.defines) {
    const auto fail = [&](const char* what, std::size_t at) {
      throw SignatureError(kernel + ": the define \"" + define + "\" " + what +
                               "; write \"NAME\", \"NAME=VALUE\" or \"NAME(a, b)=VALUE\", with a name of letters, digits and _",
                           define, at);
    };
    if (const std::size_t line = define.find_first_of("\r\n"); line != std::string::npos) fail("has several lines", line);
    std::size_t end = signature::identifier_length(define);
    if (end == 0) fail("does not begin with a macro's name", 0);
    if (end < define.size() && define[end] == '(') end = std::min(define.find(')', end), define.size() - 1) + 1;
    if (end < define.size() && define[end] != '=') fail("has something else behind the macro's name", end);
  }
  if (options.constant_variants < 0) {
    throw SignatureError(kernel + ": .compile.constant_variants is " + std::to_string(options.constant_variants) +
                             "; it is a number of kernels, from 0",
                         "", 0);
  }
  codegen::check_text(kernel + ".defines", codegen::defines_text(options.defines));
  codegen::check_text(kernel + ".functions", options.functions);
  codegen::check_text(kernel + ".preamble", options.preamble);
}

void add_options(codegen::UserText& text, const CompileOptions& options) {
  text.preamble = options.preamble;
  text.functions = options.functions;
  text.defines = options.defines;
  text.debug = debug_of(options);
}

}  // namespace kiln::program
