#include "program/hints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kiln/dtype.hpp"
#include "kiln/error.hpp"

#include "program/end_of_text.hpp"
#include "source/cuda_words.hpp"
#include "source/needed_headers.hpp"
#include "source/refused.hpp"
#include "source/textures.hpp"

namespace kiln::program {
namespace {

struct Hint {
  std::string_view name;
  std::string_view text;
};
constexpr std::string_view kPrint = "print(\"{}\", x) prints, with .compile = {.debug = {.on = true}}, or KILN_DEBUG=1";
constexpr std::string_view kLocalArray = "kernels allocate no memory; write a local array, float32 t[16]";
constexpr std::string_view kClusters = "kernels know the groups of a block and of its warps, and this_grid() without sync()";
constexpr std::string_view kLoop = "write for (int i = 0; i < n; ++i)";
constexpr std::string_view kPower = "C++ has no power operator; write pow(x, 2), or x * x";
constexpr std::string_view kChoice = "C++ has no x if c else y; write c ? x : y";
constexpr Hint kMissingNames[] = {{"True", "write true"},
                                  {"False", "write false"},
                                  {"None", "C++ has no None; write NAN for a number that is missing"},
                                  {"elif", "write else if"},
                                  {"range", kLoop},
                                  {"sum", "bodies have no sum(); add the elements in a loop"},
                                  {"where", "write c ? x : y"},
                                  {"printf", kPrint},
                                  {"puts", kPrint},
                                  {"cout", kPrint},
                                  {"cerr", kPrint},
                                  {"vector", kLocalArray},
                                  {"string", kLocalArray},
                                  {"malloc", kLocalArray},
                                  {"calloc", kLocalArray},
                                  {"this_cluster", kClusters},
                                  {"this_multi_grid", kClusters},
                                  {"cluster_group", kClusters},
                                  {"multi_grid_group", kClusters}};

/// Modules of Python that people call functions of by these names.
constexpr std::string_view kModules[] = {"np",   "numpy", "math",  "cmath", "scipy", "cp",
                                         "cupy", "jnp",   "torch", "tl",    "xp",    "numba"};
/// NumPy's and Python's names, and those of bodies.
constexpr Hint kOtherNames[] = {{"absolute", "abs"},  {"arccos", "acos"},    {"arccosh", "acosh"}, {"arcsin", "asin"},
                                {"arcsinh", "asinh"}, {"arctan", "atan"},    {"arctan2", "atan2"}, {"arctanh", "atanh"},
                                {"clip", "clamp"},    {"conjugate", "conj"}, {"gamma", "tgamma"},  {"mod", "fmod"},
                                {"power", "pow"},     {"e", "M_E"},          {"inf", "INFINITY"},  {"nan", "NAN"}};

/// The texts between quotes, whichever a compiler uses.
std::vector<std::string_view> quoted(std::string_view text) {
  std::vector<std::string_view> found;
  for (std::size_t at = text.find_first_of("'\""); at != std::string_view::npos; at = text.find_first_of("'\"", at)) {
    const std::size_t end = text.find(text[at], at + 1);
    if (end == std::string_view::npos) break;
    found.push_back(text.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return found;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool says_undeclared(std::string_view text) {
  return contains(text, "undeclared identifier") || contains(text, "is undefined") || contains(text, "unknown type name");
}

bool says_no_member(std::string_view text) {
  return contains(text, "has no member") || contains(text, "no member named") || contains(text, "no template named");
}

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string_view without_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

std::string_view first_name(std::string_view text) {
  return text.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(text, in_name) - text.begin()));
}

/// The line from the place of an error on, without blanks in front.
std::string_view rest_of_line(const Diagnostic& found) {
  const std::string_view line = found.source_line;
  return without_blanks(line.substr(std::min(static_cast<std::size_t>(std::max(found.column, 1)) - 1, line.size())));
}

/// The call that a text begins with behind its name, "(x, 2)"; "(…)" where the line ends before it; none.
std::string_view arguments_of(std::string_view text) {
  if (!text.starts_with("(")) return "";
  int open = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    open += (text[at] == '(') - (text[at] == ')');
    if (open == 0) return text.substr(0, at + 1);
  }
  return "(…)";
}

bool is_dtype(std::string_view name) {
  try {
    (void)dtype_from_name(name);
    return true;
  } catch (const TypeError&) {
    return false;
  }
}

/// "write asin(x)" for a name of NumPy's at a text's begin. Bare names of constants may be the user's.
std::optional<std::string> own_name(std::string_view text, bool of_module) {
  const std::string_view name = first_name(text);
  const std::string_view arguments = arguments_of(text.substr(name.size()));
  if (arguments.empty() && !of_module) return std::nullopt;
  const auto* const other = std::ranges::find(kOtherNames, name, &Hint::name);
  if (other != std::end(kOtherNames)) return fmt::format("write {}{}", other->text, arguments);
  if (of_module && name == "where") return "write c ? x : y";
  if (of_module && (codegen::is_function(name) || is_dtype(name))) return fmt::format("write {}{}", name, arguments);
  return std::nullopt;
}

/// Whether a text begins with a module's name and a member.
bool is_module(std::string_view text) {
  const std::string_view name = first_name(text);
  return std::ranges::find(kModules, name) != std::end(kModules) && text.substr(name.size()).starts_with(".");
}

/// "C++ has no module np; write sin(x)", for "np.sin(x)". Of modules in modules, only scipy.special has functions of bodies.
std::string without_module(std::string_view text) {
  const std::string_view module = first_name(text);
  std::string_view member = text.substr(module.size());
  while (member.starts_with(".")) {
    member.remove_prefix(1);
    if (const auto own = own_name(member, true)) return fmt::format("C++ has no module {}; {}", module, *own);
    if (first_name(member) != "special") break;
    member.remove_prefix(first_name(member).size());
  }
  return fmt::format("C++ has no module {}, and a body calls no functions of Python's", module);
}

/// `^` and `%` of numbers with a fraction. Clang's place is the operator, NVRTC's the operand.
std::string_view operator_of(const Diagnostic& found) {
  const std::string_view line = found.source_line;
  const std::string_view rest = rest_of_line(found);
  if (rest.starts_with("^") || rest.starts_with("%")) return rest.substr(0, 1);
  if (!contains(found.text, "must have integral")) return "";
  const std::string_view called = rest.substr(first_name(rest).size());
  const std::string_view behind = without_blanks(called.substr(std::min(arguments_of(called).size(), called.size())));
  if (behind.starts_with("^") || behind.starts_with("%")) return behind.substr(0, 1);
  const std::size_t before = line.substr(0, line.size() - rest.size()).find_last_not_of(' ');
  const bool follows = before != std::string_view::npos && (line[before] == '^' || line[before] == '%');
  return follows ? line.substr(before, 1) : "";
}

/// The name in front of the place of an error.
std::string_view name_before(const Diagnostic& found) {
  std::string_view line = found.source_line;
  line = line.substr(0, line.size() - rest_of_line(found).size());
  line = line.substr(0, line.find_last_not_of(" \t") + 1);
  const auto begin = std::find_if_not(line.rbegin(), line.rend(), in_name).base();
  return line.substr(static_cast<std::size_t>(begin - line.begin()));
}

/// "x // 2;": what follows is one word and the statement's end.
bool ends_in_division(std::string_view line) {
  const std::size_t comment = line.find("//");
  if (comment == std::string_view::npos || !line.ends_with(";")) return false;
  return !contains(without_blanks(line.substr(comment + 2)), " ");
}

/// What Python writes where C++ expects something else.
std::optional<std::string_view> hint_at_syntax(const Diagnostic& found) {
  const std::string_view text = found.text;
  const std::string_view rest = rest_of_line(found);
  if (text.starts_with("expected")) {
    if (first_name(rest) == "if" && contains(rest, " else ")) return kChoice;
    if ((rest.empty() || rest.starts_with("//")) && ends_in_division(found.source_line))
      return "// begins a comment; write floor(x / y)";
    const std::string_view word = contains(text, "(") ? name_before(found) : "";
    if (word == "for" && contains(rest, " in ")) return kLoop;
    if (word == "if") return "write if (…) { … }";
    if (word == "while") return "write while (…) { … }";
  }
  if (contains(text, "preprocessing directive") && without_blanks(found.source_line).starts_with("# "))
    return "write // before a comment";
  if (contains(text, "invalid operands to binary") || contains(text, "must have integral")) {
    const std::string_view mark = operator_of(found);
    if (mark == "^") return "^ is exclusive or; write pow(x, 2), or x * x";
    if (mark == "%") return "% is of integers; write fmod(x, y)";
  }
  return std::nullopt;
}

bool is_assigned(std::string_view text) {
  const std::string_view behind = without_blanks(text.substr(first_name(text).size()));
  return behind.starts_with("=") && !behind.starts_with("==");
}

std::optional<std::string> hint_for(const Diagnostic& found, bool unnamed_parameters) {
  const std::string_view text = found.text;
  const std::vector<std::string_view> names = quoted(text);
  if (says_undeclared(text) && is_module(rest_of_line(found))) return without_module(rest_of_line(found));
  if (says_undeclared(text) || says_no_member(text)) {
    for (const std::string_view name : names) {
      const auto* const hint = std::ranges::find(kMissingNames, name, &Hint::name);
      // Clang corrects these itself.
      const bool corrected = contains(text, "did you mean 'true'") || contains(text, "did you mean 'false'");
      if (hint != std::end(kMissingNames) && !corrected) return std::string(hint->text);
      if (codegen::is_word_of_threads(name)) return std::string(codegen::kNoThreads);
      if (codegen::is_texture(name)) return std::string(codegen::kNoTextures);
    }
  }
  if (says_undeclared(text) && unnamed_parameters && !names.empty()) {
    return "the signature names no parameters; write float32(float32 " + std::string(names.front()) + ")";
  }
  const std::string_view rest = rest_of_line(found);
  const bool no_power =
      first_name(rest) == "power" && (contains(text, "no matching function") || contains(text, "no instance of"));
  if ((says_undeclared(text) && !names.empty()) || no_power) {
    if (auto own = own_name(rest, false)) return own;
    if (says_undeclared(text) && !contains(text, "did you mean") && first_name(rest) == names.front() && is_assigned(rest)) {
      return fmt::format("declare it where it is first assigned: auto {} = …", names.front());
    }
  }
  if (const auto hint = hint_at_syntax(found)) return std::string(*hint);
  if (contains(text, "pointer") && contains(text, "operand")) {
    const std::size_t power = found.source_line.find("**");
    const auto column = static_cast<std::size_t>(std::max(found.column, 1));
    if (power != std::string::npos && column >= power + 1 && column <= power + 3) {
      return std::string(kPower);
    }
  }
  return std::nullopt;
}

/// Clang may take a keyword for what was meant, and then finds that it cannot stand there.
bool drop_keyword_corrections(std::vector<Diagnostic>& diagnostics) {
  bool any = false;
  for (std::size_t i = 0; i + 1 < diagnostics.size(); ++i) {
    const std::size_t correction = diagnostics[i].text.find("; did you mean '");
    const Diagnostic& next = diagnostics[i + 1];
    const bool same_place =
        next.file == diagnostics[i].file && next.line == diagnostics[i].line && next.column == diagnostics[i].column;
    if (correction == std::string::npos || !same_place || next.text != "expected expression") continue;
    diagnostics[i].text.resize(correction);
    diagnostics.erase(diagnostics.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    any = true;
  }
  return any;
}

}  // namespace

CompileError with_hints(const CompileError& error, bool unnamed_parameters) {
  std::vector<Diagnostic> diagnostics = error.diagnostics();
  bool any = drop_keyword_corrections(diagnostics);
  for (Diagnostic& found : diagnostics) {
    if (found.severity != Severity::error) continue;
    if (auto reason = codegen::reason_of_refusal(found.text)) {
      found.text = std::move(*reason);
      any = true;
    }
    if (const auto hint = hint_for(found, unnamed_parameters)) {
      found.text += "; " + *hint;
      any = true;
    }
  }
  return any ? with_diagnostics(error, std::move(diagnostics)) : error;
}

}  // namespace kiln::program
