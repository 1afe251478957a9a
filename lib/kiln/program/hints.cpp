#include "program/hints.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program/end_of_text.hpp"
#include "source/cuda_words.hpp"
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
constexpr Hint kMissingNames[] = {{"printf", kPrint},
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

std::optional<std::string> hint_for(const Diagnostic& found, bool unnamed_parameters) {
  const std::string_view text = found.text;
  const std::vector<std::string_view> names = quoted(text);
  if (says_undeclared(text) || says_no_member(text)) {
    for (const std::string_view name : names) {
      const auto* const hint = std::ranges::find(kMissingNames, name, &Hint::name);
      if (hint != std::end(kMissingNames)) return std::string(hint->text);
      if (codegen::is_word_of_threads(name)) return std::string(codegen::kNoThreads);
      if (codegen::is_texture(name)) return std::string(codegen::kNoTextures);
    }
  }
  if (says_undeclared(text) && unnamed_parameters && !names.empty()) {
    return "the signature names no parameters; write float32(float32 " + std::string(names.front()) + ")";
  }
  if (contains(text, "pointer") && contains(text, "operand")) {
    const std::size_t power = found.source_line.find("**");
    const auto column = static_cast<std::size_t>(std::max(found.column, 1));
    if (power != std::string::npos && column >= power + 1 && column <= power + 3) {
      return "C++ has no power operator; write pow(x, 2), or x * x";
    }
  }
  return std::nullopt;
}

}  // namespace

CompileError with_hints(const CompileError& error, bool unnamed_parameters) {
  std::vector<Diagnostic> diagnostics = error.diagnostics();
  bool any = false;
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
