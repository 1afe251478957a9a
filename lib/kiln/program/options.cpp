#include "program/options.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

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

bool same_bits_of(const CompileOptions& options) {
  static constexpr std::array<std::string_view, 2> kWords{"0", "1"};
  const base::Word wanted = base::env_word("KILN_SAME_BITS", kWords, "functions have the same bits on every device, as with 1");
  return options.same_bits || wanted.unknown || wanted.value == "1";
}

void check_same_bits(const codegen::UserText& text) {
  struct Approximate {
    std::string_view name, instead;
  };
  static constexpr Approximate kApproximate[] = {
      {"__expf", "exp"},       {"__exp10f", "exp10"}, {"__logf", "log"},  {"__log2f", "log2"}, {"__log10f", "log10"},
      {"__powf", "pow"},       {"__sinf", "sin"},     {"__cosf", "cos"},  {"__tanf", "tan"},   {"__sincosf", "sincos"},
      {"__fdividef", "x / y"}, {"fdividef", "x / y"}, {"__tanhf", "tanh"}};
  for (const auto& [file, written] : codegen::texts_of(text)) {
    for (const auto& [name, instead] : kApproximate) {
      if (!codegen::names_any(written, std::array{name})) continue;
      CompileError::Details details;
      details.diagnostics = {{.severity = Severity::error,
                              .file = file,
                              .line = 0,
                              .column = 0,
                              .text = std::string(name) +
                                      " is approximate, and its bits differ between devices; with .same_bits write " +
                                      std::string(instead),
                              .source_line = {}}};
      throw CompileError(std::move(details));
    }
  }
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
  if (options.same_bits && (options.contract || options.fast_math)) {
    const std::string other = options.contract ? "contract" : "fast_math";
    throw SignatureError(kernel + ": .compile has both .same_bits and ." + other +
                             ", whose bits differ between devices; leave out ." + other + " or .same_bits",
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
